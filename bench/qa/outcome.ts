export type Mode = "linkinator" | "crawl" | "static" | "alone" | "unchanged" | "browser";

export interface Outcome {
  /** The defects found: path and fragment of the target, or the address as written. */
  found: string[];
  pages: number;
  browserPages?: number;
  /** From the start of the browser phase to its end. */
  browserMs?: number;
  unchanged?: boolean;
  /** Checks that didn't run. */
  skippedChecks?: string[];
}

export interface Measurement extends Outcome {
  ms: number;
  /** CPU time of the process itself, on all cores: it depends less on the load of the machine. */
  cpuMs: number;
  rssMiB: number;
}

export interface MeasureOptions {
  origin: string;
  file: string;
  browserPages: number;
}
