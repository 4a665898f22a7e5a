/** What a figure counts; `×` is a ratio to the peer measured in the same round. */
export type Unit = "ms" | "s" | "MiB" | "KiB" | "×" | "/s" | "/min" | "µs" | "%" | "";

/** One line of docs/benchmarks.md. */
export interface Figure {
  /** Stands for it in the results and in the reasons; unique in its bench. */
  id: string;
  /** What was measured, as a reader of the document understands it. */
  what: string;
  /** The column it has in a table with others of the same row (`what`), such as a size of the site. */
  column?: string;
  unit: Unit;
  /** The start of the run that measured it, if the bench has had several. */
  at?: string;
  /** What each round gave: for a ratio, that of each pair. */
  values: number[];
  /** The targets that it has: at most, at least. */
  max?: number | undefined;
  min?: number | undefined;
}

/** The middle one of some numbers, or the mean of the two in the middle; NaN for none. */
export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const [low = Number.NaN, high = Number.NaN] = [
    sorted[(sorted.length - 1) >> 1],
    sorted[sorted.length >> 1],
  ];
  return (low + high) / 2;
}

/** The smallest of some numbers that at least this part of them doesn't exceed; NaN for none. */
export function quantile(numbers: readonly number[], part: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? Number.NaN;
}

/** Whether the median is within the target; undefined if there is none. */
export function isMet({ values, max, min }: Figure): boolean | undefined {
  if (max === undefined && min === undefined) return undefined;
  const got = median(values);
  return got <= (max ?? Number.POSITIVE_INFINITY) && got >= (min ?? Number.NEGATIVE_INFINITY);
}

/** Each of one list divided by its counterpart of the same round. */
export function ratios(own: readonly number[], peer: readonly number[]): number[] {
  return own.map((value, round) => value / (peer[round] ?? Number.NaN));
}

const mark = '{"figures":';

/** Prints figures for `npm run bench`, in one line. Call it once, at the end. */
export function printFigures(figures: readonly Figure[]): void {
  console.log(JSON.stringify({ figures }));
}

/** The figures that a program has printed, or undefined if it hasn't. */
export function readFigures(output: string): Figure[] | undefined {
  const line = output.split("\n").findLast((one) => one.startsWith(mark));
  return line === undefined ? undefined : (JSON.parse(line) as { figures: Figure[] }).figures;
}
