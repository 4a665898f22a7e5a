import type { QaOverview } from "../../api/types.ts";

type Trend = QaOverview["trend"];

export interface Chart {
  /** The value at the upper edge. */
  top: number;
  /** SVG paths in a box of `width` × `height`. */
  error: string;
  warning: string;
}

const steps = [1, 2, 5];

/** The smallest of 1, 2, 5, 10, 20, 50… that is at least `value`; at least 1. */
export function axisMaximum(value: number): number {
  let unit = 1;
  for (;;) {
    for (const step of steps) if (step * unit >= value) return step * unit;
    unit *= 10;
  }
}

const round = (value: number): number => Math.round(value * 10) / 10;

function line(values: readonly number[], top: number, width: number, height: number): string {
  const across = values.length > 1 ? width / (values.length - 1) : 0;
  const points = values.map((value, index) => {
    const x = values.length > 1 ? index * across : width;
    return `${round(x)} ${round(height - (value / top) * height)}`;
  });
  // A single run is a horizontal line.
  if (points.length === 1) points.unshift(`0 ${points[0]?.split(" ")[1] ?? height}`);
  return `M${points.join("L")}`;
}

/** Errors and warnings by QA run, oldest at the left. */
export function chartOf(trend: Trend, width: number, height: number): Chart {
  const errors = trend.map(({ counts }) => counts.error);
  const warnings = trend.map(({ counts }) => counts.warning);
  const top = axisMaximum(Math.max(1, ...errors, ...warnings));
  return {
    top,
    error: line(errors, top, width, height),
    warning: line(warnings, top, width, height),
  };
}

function move(name: string, from: number, to: number): string {
  return from === to ? `${name} unchanged at ${to}` : `${name} from ${from} to ${to}`;
}

/** The chart as a text; null if there is only one run. */
export function trendText(trend: Trend): string | null {
  const [first, last] = [trend[0], trend.at(-1)];
  if (!first || !last || first === last) return null;
  return `Since the first of ${trend.length} QA runs: ${move("errors", first.counts.error, last.counts.error)}, ${move("warnings", first.counts.warning, last.counts.warning)}.`;
}
