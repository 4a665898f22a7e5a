import { readFileSync, writeFileSync } from "node:fs";
import { cpus, release, totalmem } from "node:os";
import type { Figure } from "../support/figures.ts";
import type { Load } from "../support/load.ts";

/** What one bench has measured, and when. */
export interface BenchResult {
  /** The start of the run, ISO 8601. */
  at: string;
  seconds: number;
  load: Load;
  /** The arguments it had instead of its usual ones. */
  args?: string;
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

export function writeResults(file: string, results: Results): void {
  writeFileSync(file, `${JSON.stringify(results, rounded, 1)}\n`);
}
