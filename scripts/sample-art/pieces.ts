import { letter } from "./archive.ts";
import { answerPhone, arcs, today } from "./clinic.ts";
import { dots, spines, waves } from "./covers.ts";
import { contours, fourButtons, logbook, sync } from "./field.ts";
import { envelope, month, unmatched } from "./ledger.ts";
import { hours, kiosk, labels } from "./shelf.ts";
import { construction, night, sign } from "./signs.ts";

export interface Piece {
  /** Ends up in the address of the file. */
  name: string;
  /** What is seen, for people who do not see it. */
  alt: string;
  svg: string;
  /** Shown on the front page. */
  isCover?: boolean;
}

/** All images of the sample content. The numbers are seeds: another number gives another image. */
export const pieces: readonly Piece[] = [
  {
    name: "tidewater-month",
    alt: "The calendar of October 2025 in a window marked “17 open”. Each day is a blue block; the last Friday is the tallest and darkest.",
    svg: month(11, "light"),
    isCover: true,
  },
  {
    name: "tidewater-close",
    alt: "The same calendar in dark, marked “Closed”. Most days are dim; a few shine in blue, violet and pink.",
    svg: month(11, "dark"),
  },
  {
    name: "tidewater-unmatched",
    alt: "A window with the heading “Unmatched” and eight rows: boat number, boat, kind of receipt, a bar and a sum. Bars and sums grow smaller towards the bottom.",
    svg: unmatched(),
  },
  {
    name: "tidewater-envelope",
    alt: "A tilted paper envelope with the number 17, and an arrow to the row of boat 17 in a list of four.",
    svg: envelope(),
  },
  {
    name: "orchard-arcs",
    alt: "A telephone on which the clinic’s site says “Yes, you can come today”, before arcs in green, yellow and clay and a red sun.",
    svg: arcs(),
    isCover: true,
  },
  {
    name: "orchard-today",
    alt: "A browser window: a green panel with “Yes, you can come today”, and three tiles for booking, renewing a medicine and finding the clinic.",
    svg: today(),
  },
  {
    name: "orchard-phone",
    alt: "Two telephones with keyboards. The green panel of one says “Yes, come today”, the red panel of the other “Come tomorrow”.",
    svg: answerPhone(),
  },
  {
    name: "quay-waves",
    alt: "Eleven wavy bands from mint to navy. Before them a navy sign on two posts: an arrow up, a ring with the number 2, a ferry.",
    svg: waves(),
    isCover: true,
  },
  {
    name: "quay-sign-gate",
    alt: "A ring around the number 2, light on a navy plate.",
    svg: sign("gate", 0),
  },
  { name: "quay-sign-ahead", alt: "An arrow up, navy on a mint plate.", svg: sign("ahead", 1) },
  {
    name: "quay-sign-left",
    alt: "An arrow to the left, white on a blue plate.",
    svg: sign("left", 2),
  },
  {
    name: "quay-sign-ferry",
    alt: "A ferry over a wave, light on a navy plate.",
    svg: sign("ferry", 0),
  },
  {
    name: "quay-sign-stairs",
    alt: "Four steps down to the right, navy on a mint plate.",
    svg: sign("stairs", 1),
  },
  {
    name: "quay-sign-wait",
    alt: "A clock face at four, white on a blue plate.",
    svg: sign("wait", 2),
  },
  { name: "quay-sign-water", alt: "A drop, light on a navy plate.", svg: sign("water", 0) },
  {
    name: "quay-sign-bicycle",
    alt: "Two wheels side by side, navy on a mint plate.",
    svg: sign("bicycle", 1),
  },
  {
    name: "quay-sign-exit",
    alt: "A bar and an arrow that leaves it, cream on blue, on an orange ground.",
    svg: sign("exit", 3),
  },
  {
    name: "quay-sign-light",
    alt: "Three plates in the dark: a gate, an arrow up and an arrow left in mint, orange and white.",
    svg: night(),
  },
  {
    name: "quay-grid",
    alt: "A square grid with a square, a circle, a triangle and a quarter circle; four paint samples beside it.",
    svg: construction(),
  },
  {
    name: "field-dots",
    alt: "A telephone with four coloured buttons: Track, Fallen tree, Fire ring, Other. Around it a field of dots that swell in four places.",
    svg: dots(),
    isCover: true,
  },
  {
    name: "field-contours",
    alt: "Contour lines of two hills, lilac on dark violet, with a dotted yellow track and four stops.",
    svg: contours(23),
  },
  {
    name: "field-four",
    alt: "The same four buttons on a telephone, and the thumb of a thick glove on its way to one of them.",
    svg: fourButtons(),
  },
  {
    name: "field-log",
    alt: "Two telephones with the same six entries. On the first, four entries offer “Add words”; on the second all have them.",
    svg: logbook(),
  },
  {
    name: "field-sync",
    alt: "Columns named “Elin” and “The hut” with three and four entries, an arrow, and a column “Both, after” with all six.",
    svg: sync(),
  },
  {
    name: "shelf-spines",
    alt: "Three shelves of books in red, orange, green and cream. On the middle one a screen says “Thank you” beside four books on a strip lit green.",
    svg: spines(41),
    isCover: true,
  },
  {
    name: "shelf-kiosk",
    alt: "An upright screen with a green tick and the words “Thank you. Four books are back”, behind four books on a lit strip.",
    svg: kiosk(),
  },
  {
    name: "shelf-hours",
    alt: "Six rows of weekdays and nine columns of hours, with the books returned in each. The square of Tuesday at 15 is darkest.",
    svg: hours(17),
  },
  {
    name: "shelf-labels",
    alt: "Four hanging labels: a circle for 0 to 3 years, a square for 4 to 6, a triangle for 7 to 9, a star from 10.",
    svg: labels(),
  },
  {
    name: "akero-lines",
    alt: "A handwritten sheet with a crossing-out and a wax seal; over it the catalogue, where “öhrn” finds 42 letters and lists three.",
    svg: letter(1743),
    isCover: true,
  },
];
