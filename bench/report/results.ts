import { readFileSync, writeFileSync } from "node:fs";
import { cpus, release, totalmem } from "node:os";
import type { Figure } from "../support/figures.ts";
import type { Load } from "../support/load.ts";

/** A run of a bench. */
export interface BenchRun {
  /** Its start, ISO 8601. */
  at: string;
  seconds: number;
  load: Load;
  /** The arguments it had instead of its usual ones. */
  args?: string;
}

/** What one bench has measured. */
export interface BenchResult {
  /** The runs that its figures come from. */
  runs: BenchRun[];
  figures: Figure[];
  /** Why there are none. */
  failure?: string;
}

/** The last result of each bench by its name, and the machine they were measured on. */
export interface Results {
  machine: string;
  benches: Record<string, BenchResult>;
}

/** This machine, for people. */
export function describeMachine(): string {
  const [{ model = "unknown" } = {}, ...others] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${others.length + 1} processors (${model.trim()}), ${memory} GB, Linux ${release()}, Node ${process.version}`;
}

/** Reads results; results of another machine are left out, because they can't stand beside new ones. */
export function readResults(file: string): Results {
  const empty = { machine: describeMachine(), benches: {} };
  try {
    const stored = JSON.parse(readFileSync(file, "utf8")) as Results;
    return stored.machine === empty.machine ? stored : empty;
  } catch {
    return empty;
  }
}

const rounded = (_key: string, value: unknown) =>
  typeof value === "number" ? Number(value.toPrecision(5)) : value;

/** A result's figures with their run. */
function stamped({ runs: [run], figures }: BenchResult): Figure[] {
  return figures.map((figure) => ({ ...(run && { at: run.at }), ...figure }));
}

/** A result with what a run with arguments of its own has measured, in the places of the same figures. */
export function mergeResult(earlier: BenchResult | undefined, later: BenchResult): BenchResult {
  const isPart = later.runs.some(({ args }) => args !== undefined);
  if (earlier === undefined || !isPart || later.failure !== undefined) return later;
  const ids = new Set(later.figures.map(({ id }) => id));
  const kept = stamped(earlier).filter(({ id }) => !ids.has(id));
  if (kept.length === 0) return later;
  const figures = [...kept, ...stamped(later)];
  const starts = new Set(figures.map(({ at }) => at));
  const runs = [...earlier.runs, ...later.runs].filter(({ at }) => starts.has(at));
  return { runs, figures };
}

export function writeResults(file: string, results: Results): void {
  writeFileSync(file, `${JSON.stringify(results, rounded, 1)}\n`);
}
