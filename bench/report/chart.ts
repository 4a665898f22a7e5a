import { type Figure, median } from "../support/figures.ts";

/** A line of a panel: figures named `<prefix>-<size>` or `<prefix>-<size>-<peer>`. */
interface Series {
  prefix: string;
  peer?: string;
}

interface Panel {
  title: string;
  unit: string;
  /** What a figure's value is divided by to have that unit. */
  divisor: number;
  series: Series[];
  /** Targets as `size: value` in the unit. */
  targets: Record<number, number>;
}

interface Point {
  x: number;
  y: number;
}

/** Vitrine's line above those of its peers, whose figures can have another name. */
const beside = (prefix: string, peersPrefix: string): Series[] => [
  ...["astro", "eleventy", "hugo"].map((peer) => ({ prefix: peersPrefix, peer })),
  { prefix },
];

const panels: Panel[] = [
  {
    title: "Edit → preview",
    unit: "s",
    divisor: 1000,
    series: beside("preview", "build"),
    targets: { 6: 1, 1000: 2.5 },
  },
  {
    title: "Save → live",
    unit: "s",
    divisor: 1000,
    series: beside("save", "build"),
    targets: { 6: 1.2, 1000: 3, 10_000: 10 },
  },
  {
    title: "Publish → live",
    unit: "s",
    divisor: 1000,
    series: [{ prefix: "publish" }],
    targets: { 6: 0.15, 1000: 0.3 },
  },
  {
    title: "Memory of the largest build process",
    unit: "MiB",
    divisor: 1,
    series: beside("memory", "memory"),
    targets: { 10_000: 1331 },
  },
  {
    title: "Added on the disk by a publish",
    unit: "MiB",
    divisor: 1024,
    series: beside("disk", "disk"),
    targets: { 1000: 0.5, 10_000: 0.5 },
  },
];

const names: Record<string, string> = {
  "": "Vitrine",
  astro: "Astro, whole build",
  eleventy: "Eleventy, whole build",
  hugo: "Hugo, whole build",
};

const size = { width: 300, height: 200, left: 52, top: 34, right: 14, bottom: 30, gap: 12 };
const columns = 3;
const legendHeight = 34;

function pointsOf(figures: readonly Figure[], { prefix, peer }: Series, divisor: number): Point[] {
  const pattern = new RegExp(`^${prefix}-(\\d+)${peer === undefined ? "" : `-${peer}`}$`);
  return figures
    .flatMap(({ id, values }) => {
      const x = Number(pattern.exec(id)?.[1]);
      return Number.isNaN(x) ? [] : [{ x, y: median(values) / divisor }];
    })
    .toSorted((a, b) => a.x - b.x);
}

interface Scale {
  at(value: number): number;
  ticks: number[];
}

/** A logarithmic scale from one power of ten to another. */
function logScale(values: readonly number[], from: number, to: number): Scale {
  const positive = values.filter((value) => value > 0);
  const low = Math.floor(Math.log10(Math.min(...positive)));
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...positive))));
  const at = (value: number) => from + ((Math.log10(value) - low) / (high - low)) * (to - from);
  const ticks = Array.from({ length: high - low + 1 }, (_, i) => 10 ** (low + i));
  return { at, ticks };
}

const fixed = (value: number) => value.toFixed(1);
const label = (value: number) => value.toLocaleString("en", { maximumFractionDigits: 3 });

function drawPanel(figures: readonly Figure[], panel: Panel, place: Point): string {
  const { width, height, left, top, right, bottom } = size;
  const lines = panel.series
    .map((series) => ({
      kind: series.peer ?? "",
      points: pointsOf(figures, series, panel.divisor),
    }))
    .filter(({ points }) => points.length > 0);
  const all = lines.flatMap(({ points }) => points);
  if (all.length === 0) return "";
  const sizes = [...new Set(all.map(({ x }) => x))].toSorted((a, b) => a - b);
  const targets = Object.entries(panel.targets).map(([x, y]) => ({ x: Number(x), y }));
  const shown = targets.filter(({ x }) => sizes.includes(x));
  const xs = logScale([...sizes, ...(sizes.length < 2 ? [100] : [])], left, width - right);
  const ys = logScale(
    [...all, ...shown].map(({ y }) => y),
    height - bottom,
    top,
  );
  const grid = ys.ticks.map(
    (tick) =>
      `<path class="grid" d="M${left} ${fixed(ys.at(tick))}H${width - right}"/><text class="tick" x="${left - 6}" y="${fixed(ys.at(tick) + 4)}" text-anchor="end">${label(tick)}</text>`,
  );
  const bottomTicks = sizes.map(
    (each) =>
      `<text class="tick" x="${fixed(xs.at(each))}" y="${height - bottom + 16}" text-anchor="middle">${label(each)}</text>`,
  );
  const drawn = lines.map(({ kind, points }) => {
    const spots = points.map(({ x, y }) => `${fixed(xs.at(x))} ${fixed(ys.at(y))}`);
    const dots = points.map(
      ({ x, y }) => `<circle cx="${fixed(xs.at(x))}" cy="${fixed(ys.at(y))}" r="2.6"/>`,
    );
    return `<g class="${kind || "own"}"><path class="line" d="M${spots.join("L")}"/>${dots.join("")}</g>`;
  });
  const goals = shown.map(
    ({ x, y }) => `<path class="target" d="M${fixed(xs.at(x) - 8)} ${fixed(ys.at(y))}h16"/>`,
  );
  return `<g transform="translate(${place.x} ${place.y})"><text class="title" x="${left}" y="16">${panel.title}, ${panel.unit}</text>${[...grid, ...bottomTicks, ...drawn, ...goals].join("")}</g>`;
}

const style = `
text{font:11px system-ui,sans-serif;fill:#3a3a3a}.title{font-weight:600;font-size:12px}
.back{fill:#fff}.grid{stroke:#e2e2e2;fill:none}.tick{fill:#5c5c5c}.line{fill:none;stroke-width:2}
.own{stroke:#0a58ca;fill:#0a58ca}.astro{stroke:#a23b00;fill:#a23b00}
.eleventy{stroke:#5d7a00;fill:#5d7a00}.hugo{stroke:#8a3fa0;fill:#8a3fa0}
.astro .line{stroke-dasharray:6 3}.eleventy .line{stroke-dasharray:2 3}.hugo .line{stroke-dasharray:8 3 2 3}
.target{stroke:#c01a1a;stroke-width:2.5;fill:none}
@media (prefers-color-scheme:dark){text{fill:#e4e4e4}.back{fill:#16181b}.grid{stroke:#33373c}.tick{fill:#aab0b7}
.own{stroke:#6ea8fe;fill:#6ea8fe}.astro{stroke:#ff9e6b;fill:#ff9e6b}.eleventy{stroke:#b5d245;fill:#b5d245}
.hugo{stroke:#d79be8;fill:#d79be8}.target{stroke:#ff7b7b}}`;

function legend(figures: readonly Figure[], y: number): string {
  const has = (kind: string) => figures.some(({ id }) => id.endsWith(kind));
  const shown = Object.keys(names).filter(has);
  const entries = shown.map((kind, at) => {
    const x = size.left + at * 165;
    return `<g class="${kind || "own"}"><path class="line" d="M${x} ${y}h24"/></g><text x="${x + 30}" y="${y + 4}">${names[kind]}</text>`;
  });
  const x = size.left + shown.length * 165;
  return `${entries.join("")}<path class="target" d="M${x} ${y}h16"/><text x="${x + 22}" y="${y + 4}">at most, wanted</text>`;
}

/**
 * A chart of what bench/growth has measured, as an SVG image that follows the reader's color scheme.
 * Both axes are logarithmic; the horizontal one is the number of projects.
 */
export function growthChart(figures: readonly Figure[]): string {
  const rows = Math.ceil(panels.length / columns);
  const width = columns * (size.width + size.gap);
  const height = rows * (size.height + size.gap) + legendHeight;
  const drawn = panels.map((panel, at) => {
    const x = (at % columns) * (size.width + size.gap);
    const y = Math.floor(at / columns) * (size.height + size.gap);
    return drawPanel(figures, panel, { x, y });
  });
  const about = "Times, memory, and disk by the number of projects, beside other generators.";
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${about}"><style>${style}</style><rect class="back" width="${width}" height="${height}"/>${drawn.join("")}${legend(figures, height - legendHeight / 2)}</svg>\n`;
}
