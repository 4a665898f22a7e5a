export type Mode = "linkinator" | "crawl" | "static" | "alone" | "unchanged" | "browser";

export interface Outcome {
  /** What was found to be wrong: path and fragment of the target, or as it is written. */
  found: string[];
  pages: number;
  browserPages?: number;
  /** From the first word of the browser to the end. */
  browserMs?: number;
  unchanged?: boolean;
  /** Checks that were not made. */
  skippedChecks?: string[];
}

export interface Measurement extends Outcome {
  ms: number;
  /** What the process itself computed, on all cores: it depends less on what else the machine does. */
  cpuMs: number;
  rssMiB: number;
}

export interface MeasureOptions {
  origin: string;
  file: string;
  browserPages: number;
}
