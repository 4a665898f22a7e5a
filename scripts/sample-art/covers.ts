import { circle, n, pick, polygon, rect, ring, scale, seeded, shape, stroke, svg } from "./draw.ts";

/** The compositions that open a case study, 4:3 so that 16:9 can be cut from their middle. */

const size = { width: 1600, height: 1200 };

/** Blocks on a grid: the more a day took in, the taller and darker its block. */
export function month(seed: number, theme: "light" | "dark"): string {
  const random = seeded(seed);
  const colours =
    theme === "light"
      ? ["#8fb4d9", "#5b7fd0", "#3a49cf", "#3421ad", "#4a1486"]
      : ["#26567f", "#3566c0", "#5a52dd", "#9a63e6", "#f0a6ff"];
  const columns = 10;
  const rows = 8;
  // Six of the eight rows are what a cut to 16:9 leaves.
  const cell = { width: 160, height: 150 };
  let inner = "";
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const swell = 0.5 + 0.5 * Math.sin(column * 0.9 + row * 0.55 + seed);
      const amount = 0.6 * random() + 0.4 * swell;
      const settled = theme === "dark" && random() < 0.72;
      const height = 26 + (cell.height - 54) * amount;
      const x = column * cell.width + 14;
      const y = row * cell.height + 14;
      inner += rect(
        x,
        y,
        cell.width - 28,
        height,
        settled ? "#22384f" : scale(colours, amount),
        10,
      );
    }
  }
  return svg(size, theme === "light" ? "#dfe7ee" : "#152331", inner);
}

/** A day as arcs around a door, from first light to last. */
export function arcs(): string {
  const colours = ["#5c8a12", "#8aa11f", "#b9b02c", "#cfa63d", "#cf9a6a", "#d19a80"];
  // The ground begins where a cut to 16:9 ends.
  const centre = { x: 620, y: 1050 };
  let inner = "";
  for (let index = 9; index >= 0; index--) {
    inner += circle(centre.x, centre.y, 160 + index * 86, scale(colours, index / 9));
  }
  inner += circle(1340, 290, 92, "#e4572e");
  inner += rect(0, centre.y, size.width, size.height - centre.y, "#33500a");
  inner += shape(`M${centre.x - 70} ${centre.y}V930a70 70 0 0 1 140 0V${centre.y}Z`, "#f1e6df");
  return svg(size, "#f1e6df", inner);
}

/** Bands of water from the surface to the depth. */
export function waves(): string {
  const colours = ["#86d3bd", "#5fcfc9", "#35b4cc", "#2790c0", "#1f62a6", "#173f8f", "#10206f"];
  const bands = 11;
  let inner = circle(1180, 285, 118, "#ffb56b");
  for (let band = 0; band < bands; band++) {
    const base = 320 + band * 82;
    const height = 62 - band * 3.2;
    const phase = band * 0.75;
    let path = `M0 ${n(base + height * Math.sin(phase))}`;
    for (let x = 40; x <= size.width; x += 40) {
      const y = base + height * Math.sin(phase + x / 255) * Math.cos(x / 900 + band * 0.22);
      path += `L${x} ${n(y)}`;
    }
    inner += shape(`${path}V${size.height}H0Z`, scale(colours, band / (bands - 1)));
  }
  return svg(size, "#dfeeea", inner);
}

/** A season of sightings: dots swell around the places that are visited most. */
export function dots(): string {
  const places = [
    { x: 620, y: 520, weight: 1 },
    { x: 1180, y: 760, weight: 0.8 },
    { x: 250, y: 980, weight: 0.5 },
  ];
  const gap = 100;
  let inner = "";
  for (let row = 0; row < 11; row++) {
    for (let column = 0; column < 15; column++) {
      const x = gap + column * gap;
      const y = gap + row * gap;
      const heat = places.reduce((sum, place) => {
        const distance = Math.hypot(x - place.x, y - place.y);
        return sum + place.weight * Math.exp(-((distance / 330) ** 2));
      }, 0);
      const amount = Math.min(1, heat);
      inner += circle(
        x,
        y,
        5 + 36 * amount,
        scale(["#b7318f", "#b93bb8", "#8f5fd0", "#7a7fe0"], amount),
      );
    }
  }
  return svg(size, "#e6dfee", inner);
}

const spineColours = [
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
  colour: string;
}): string {
  const { x, floor, width, height, lean, colour } = book;
  const top = floor - height;
  const back = polygon(
    [
      [x + lean, top],
      [x + lean + width, top + lean * 0.12],
      [x + width, floor],
      [x, floor],
    ],
    colour,
  );
  if (lean > 0 || width <= 44) return back;
  const band = colour === "#f7efe2" || colour === "#f6d7a7" ? "#2a2a3c" : "#f7efe2";
  return back + rect(x, top + 34, width, 10, band) + rect(x, top + 54, width, 4, band);
}

/** A shelf of books, seen from the front; some lean, some lie. */
export function spines(seed: number): string {
  const random = seeded(seed);
  let inner = "";
  for (let shelf = 0; shelf < 3; shelf++) {
    const floor = 376 + shelf * 368;
    let x = 70;
    let last = "";
    while (x < 1500) {
      const width = 26 + Math.floor(random() * random() * 84);
      const height = 200 + random() * 118;
      let colour = pick(random, spineColours);
      if (colour === last) colour = spineColours[(spineColours.indexOf(colour) + 3) % 8] as string;
      last = colour;
      if (random() < 0.07 && x < 1330) {
        const pile = 2 + Math.floor(random() * 3);
        for (let book = 0; book < pile; book++) {
          const y = floor - (book + 1) * 38;
          inner += rect(x + book * 6, y, 190 - book * 18, 36, pick(random, spineColours), 4);
        }
        x += 214;
        continue;
      }
      const lean = random() < 0.06 ? 34 : 0;
      inner += spine({ x, floor, width, height, lean, colour });
      x += width + lean + 5;
    }
    inner += rect(40, floor, 1520, 16, "#2a2a3c", 3);
  }
  return svg(size, "#ecdcc8", inner);
}

/** Lines of handwriting that nobody can read any more, a crossing-out and a seal. */
export function letter(seed: number): string {
  const random = seeded(seed);
  let inner = rect(250, 70, 1100, 1060, "#f3ead6", 6);
  for (let line = 0; line < 15; line++) {
    const y = 190 + line * 58;
    const start = line === 0 ? 820 : line === 14 ? 860 : 350 + random() * 16;
    const end = line % 5 === 4 ? 700 + random() * 300 : 1220 + random() * 40;
    let x = start;
    while (x < end) {
      const word = 40 + random() * 110;
      let path = `M${n(x)} ${n(y)}`;
      for (let step = 0; step < word; step += 13) {
        const rise = random() < 0.16 ? -34 : -9 - random() * 10;
        path += `q${n(3)} ${n(rise)} ${n(6.5)} 0t6.5 ${n((random() - 0.5) * 5)}`;
      }
      inner += stroke(path, "#26324a", 3.4);
      x += word + 30;
    }
  }
  inner += stroke("M520 536l70 14 60-20 64 18 70-16", "#9c2f24", 10);
  inner += stroke("M522 552l74-10 66 14 60-18 58 10", "#9c2f24", 6);
  inner += circle(1190, 1010, 82, "#9c2f24") + ring(1190, 1010, 56, "#c9604f", 7);
  inner += stroke("M1160 1010h60M1190 980v60", "#c9604f", 8);
  return svg(size, "#2e3c3a", inner);
}
