import type { Writable } from "node:stream";
import type { Progress } from "../engine/job.ts";
import { oneLine } from "../report/report.ts";

const steps: Readonly<Record<Progress["step"], string>> = {
  connecting: "Connecting",
  crawling: "Reading pages",
  checking: "Checking pages",
  external: "Checking external links",
  browser: "Checking in a browser",
  writing: "Writing the report",
};

/**
 * In ms: how often the line is overwritten on a terminal, and how often a line is added elsewhere.
 */
const everyMs = { terminal: 200, file: 5000 } as const;

/**
 * Shows the progress of a run: on a terminal in one line that is overwritten, elsewhere with a line
 * for each step and more lines from time to time.
 */
export function makeProgress(
  stream: Writable & { isTTY?: boolean },
  clock: { monotonic(): number },
) {
  const started = new Set<Progress["step"]>();
  let last = Number.NEGATIVE_INFINITY;
  const terminal = stream.isTTY === true;
  return {
    progress(progress: Progress): void {
      const now = clock.monotonic();
      // Steps run side by side: one that is reported again is news only after a while.
      const due = now - last >= everyMs[terminal ? "terminal" : "file"];
      if (started.has(progress.step) && !due) return;
      started.add(progress.step);
      last = now;
      const total = progress.total === null ? "" : ` of ${progress.total}`;
      const at = progress.at === null ? "" : `  ${oneLine(progress.at, 60)}`;
      const text = `${steps[progress.step]}: ${progress.done}${total}, ${progress.findings} found${at}`;
      stream.write(terminal ? `\r\u001B[K${text}` : `${text}\n`);
    },
    /** Clears the line. */
    end(): void {
      if (terminal && started.size > 0) stream.write("\r\u001B[K");
    },
  };
}
