import { arcs, dots, letter, month, spines, waves } from "./covers.ts";
import { contours, fourButtons, logbook, sync } from "./field.ts";
import { answerPhone, envelope, today, unmatched } from "./screens.ts";
import { hours, kiosk, labels } from "./shelf.ts";
import { construction, night, sign } from "./signs.ts";

export interface Piece {
  /** Ends up in the address of the file. */
  name: string;
  /** What is seen, for people who do not see it. */
  alt: string;
  svg: string;
}

/** All pictures of the sample content. The numbers are seeds: another number, another picture. */
export const pieces: readonly Piece[] = [
  {
    name: "tidewater-month",
    alt: "Ten columns and eight rows of blocks from pale blue to dark violet, of different heights, on a light ground.",
    svg: month(11, "light"),
  },
  {
    name: "tidewater-close",
    alt: "The same grid at night: most blocks are dim, some two dozen shine in blue, violet and pink.",
    svg: month(11, "dark"),
  },
  {
    name: "tidewater-unmatched",
    alt: "A list of nine rows in a window. A bar in each row grows shorter towards the bottom; the first three rows are tinted.",
    svg: unmatched(5),
  },
  {
    name: "tidewater-envelope",
    alt: "A tilted paper envelope with a number field, and an arrow to one of four rows on a screen.",
    svg: envelope(),
  },
  {
    name: "orchard-arcs",
    alt: "Ten arcs around a small white doorway, from green at the centre to clay at the edge, with a red sun.",
    svg: arcs(),
  },
  {
    name: "orchard-today",
    alt: "A browser window: a large green panel with two lines of text, and three smaller panels under it.",
    svg: today(),
  },
  {
    name: "orchard-phone",
    alt: "Two telephones. Each shows a panel over a keyboard, one green, one red.",
    svg: answerPhone(),
  },
  {
    name: "quay-waves",
    alt: "Eleven wavy bands from mint to navy under a pale sky with an orange disc.",
    svg: waves(),
  },
  {
    name: "quay-sign-gate",
    alt: "A ring around an upright bar, light on a navy plate.",
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
    alt: "A field of dots, small and magenta at the edges, large and violet around three places.",
    svg: dots(),
  },
  {
    name: "field-contours",
    alt: "Height lines of two hills, lilac on dark violet, with a dotted yellow track and four stops.",
    svg: contours(23),
  },
  {
    name: "field-four",
    alt: "A telephone filled by four large coloured buttons, and the thumb of a glove beside it.",
    svg: fourButtons(),
  },
  {
    name: "field-log",
    alt: "Two telephones with lists of six entries; on the second one three entries wait for words. A lamp stands beside.",
    svg: logbook(9),
  },
  {
    name: "field-sync",
    alt: "Two columns with three and four blocks, an arrow, and one column with all six.",
    svg: sync(),
  },
  {
    name: "shelf-spines",
    alt: "Three shelves of books, seen from the front, in red, orange, green and cream.",
    svg: spines(41),
  },
  {
    name: "shelf-kiosk",
    alt: "An upright screen with a green tick, behind a shelf with four books on a lit strip.",
    svg: kiosk(),
  },
  {
    name: "shelf-hours",
    alt: "Six rows of nine squares from cream to red; the sixth square of the second row is darkest.",
    svg: hours(17),
  },
  {
    name: "shelf-labels",
    alt: "Four hanging labels with a circle, a square, a triangle and a star.",
    svg: labels(),
  },
  {
    name: "akero-lines",
    alt: "A sheet of paper with fifteen lines of illegible handwriting, a red crossing-out and a wax seal.",
    svg: letter(1743),
  },
];
