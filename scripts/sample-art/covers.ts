import {
  circle,
  group,
  n,
  pick,
  polygon,
  type Random,
  rect,
  ring,
  scale,
  seeded,
  shape,
  stroke,
  svg,
} from "./draw.ts";
import { buttonPhone } from "./field.ts";
import { words } from "./type.ts";

/** The compositions that open a case study, 4:3 so that 16:9 can be cut from their middle. */

const size = { width: 1600, height: 1200 };

/** Bands of water from the surface to the depth, and the sign that stands before them. */
export function waves(): string {
  const colors = ["#86d3bd", "#5fcfc9", "#35b4cc", "#2790c0", "#1f62a6", "#173f8f", "#10206f"];
  const bands = 11;
  let inner = circle(1330, 250, 118, "#ffb56b");
  for (let band = 0; band < bands; band++) {
    const base = 320 + band * 82;
    const height = 62 - band * 3.2;
    const phase = band * 0.75;
    let path = "";
    for (let x = 0; x <= size.width; x += 40) {
      const y = base + height * Math.sin(phase + x / 255) * Math.cos(x / 900 + band * 0.22);
      path += `${x === 0 ? "M" : "L"}${x} ${n(y)}`;
    }
    inner += shape(`${path}V${size.height}H0Z`, scale(colors, band / (bands - 1)));
  }
  return svg(size, "#dfeeea", inner + gantry());
}

/** Straight ahead to the second gate, by ferry: three plates on two posts. */
function gantry(): string {
  const navy = "#0d1a5c";
  const light = "#eaf6f2";
  const posts = [430, 1140].map((x) => rect(x, 640, 30, 560, "#09123f")).join("");
  const plate = rect(250, 330, 1100, 340, navy, 40);
  const arrow = shape("M430 400L550 520H478V606H382V520H310Z", light);
  const gate = ring(800, 500, 104, "#ffb56b", 30);
  const number = words(800, 548, "2", {
    size: 138,
    fill: "#ffb56b",
    font: "display",
    at: "middle",
  });
  const ferry =
    shape("M1060 510H1300L1252 588H1108Z", light) +
    rect(1112, 446, 126, 50, light) +
    rect(1160, 396, 36, 40, light) +
    stroke("M1050 618q31-24 62 0t62 0t62 0t62 0", light, 13);
  return posts + plate + arrow + gate + number + ferry;
}

/** A season of sightings: dots swell around the places that are visited most. */
export function dots(): string {
  const places = [
    { x: 380, y: 470, weight: 1 },
    { x: 1290, y: 800, weight: 0.85 },
    { x: 260, y: 1040, weight: 0.5 },
    { x: 1340, y: 240, weight: 0.4 },
  ];
  const gap = 160;
  let inner = "";
  for (let row = 0; row < 9; row++) {
    for (let column = 0; column < 11; column++) {
      const x = column * gap;
      const y = row * gap;
      // Where the telephone is, no dot is seen.
      if (x > 540 && x < 1060 && y > 200) continue;
      const heat = places.reduce((sum, place) => {
        const distance = Math.hypot(x - place.x, y - place.y);
        return sum + place.weight * Math.exp(-((distance / 300) ** 2));
      }, 0);
      const amount = Math.min(1, heat);
      const fill = scale(["#d9b8dc", "#c65fbb", "#8f5fd0", "#6168d8"], amount);
      inner += circle(x, y, 16 + 52 * amount, fill);
    }
  }
  return svg(size, "#e6dfee", inner + group("translate(500 178) scale(1.3)", buttonPhone(0, 0)));
}

const spineColors = [
  "#d9482b",
  "#f2a33c",
  "#f6d7a7",
  "#1f4e4a",
  "#2f7f73",
  "#8cc0a8",
  "#2a2a3c",
  "#f7efe2",
];

/** One book on its edge, leaning by so many pixels; a wide one that stands straight carries a label. */
function spine(book: {
  x: number;
  floor: number;
  width: number;
  height: number;
  lean: number;
  color: string;
}): string {
  const { x, floor, width, height, lean, color } = book;
  const top = floor - height;
  const back = polygon(
    [
      [x + lean, top],
      [x + lean + width, top + lean * 0.12],
      [x + width, floor],
      [x, floor],
    ],
    color,
  );
  if (lean > 0 || width <= 44) return back;
  const band = color === "#f7efe2" || color === "#f6d7a7" ? "#2a2a3c" : "#f7efe2";
  return back + rect(x, top + 34, width, 10, band) + rect(x, top + 54, width, 4, band);
}

/** Books from `x` to `end` on one shelf; some lean, some lie. */
function books(random: Random, floor: number, from: number, end: number): string {
  let inner = "";
  let x = from;
  let last = "";
  while (x < end - 70) {
    const width = 34 + Math.floor(random() * random() * 78);
    const height = 196 + random() * 112;
    let color = pick(random, spineColors);
    if (color === last) color = spineColors[(spineColors.indexOf(color) + 3) % 8] as string;
    last = color;
    if (random() < 0.06 && x < end - 250) {
      for (let book = 0; book < 3; book++) {
        const fill = ["#1f4e4a", "#d9482b", "#2a2a3c"][book] as string;
        inner += rect(x + book * 8, floor - (book + 1) * 40, 190 - book * 20, 38, fill, 5);
      }
      x += 214;
      continue;
    }
    const lean = random() < 0.06 ? 34 : 0;
    inner += spine({ x, floor, width, height, lean, color });
    x += width + lean + 5;
  }
  return inner;
}

/** Three shelves; in the middle the screen, and the strip that is lit under what has come back. */
export function spines(seed: number): string {
  const random = seeded(seed);
  const floors = [376, 744, 1112];
  let inner = floors.map((floor) => rect(40, floor, 1520, 18, "#2a2a3c", 4)).join("");
  inner += books(random, 376, 70, 1540);
  inner += books(random, 744, 70, 470) + books(random, 744, 1160, 1540);
  inner += books(random, 1112, 70, 1540);
  inner += rect(470, 744, 660, 18, "#58e39a", 4) + rect(470, 762, 660, 46, "#bdf3d3", 0);
  inner += rect(820, 440, 310, 304, "#10302d", 18) + rect(834, 454, 282, 262, "#f7efe2", 8);
  inner += circle(975, 546, 62, "#2f7f73") + stroke("M946 547l20 21 40-43", "#f7efe2", 14);
  inner += words(975, 668, "Thank you", {
    size: 44,
    fill: "#1f4e4a",
    font: "display",
    at: "middle",
  });
  const back = ["#d9482b", "#f2a33c", "#1f4e4a", "#8cc0a8"];
  back.forEach((color, index) => {
    const height = [262, 228, 284, 240][index] as number;
    inner += spine({ x: 500 + index * 74, floor: 744, width: 66, height, lean: 0, color });
  });
  return svg(size, "#ecdcc8", inner);
}
