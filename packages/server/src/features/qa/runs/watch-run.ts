import type { Db } from "../../../platform/db/connect.ts";
import type { Log } from "../../../platform/log.ts";
import type { Progress } from "vitrine-qa/src/engine/job.ts";
import { readStopSignal, updateRunProgress } from "./store.ts";

export interface WatchRunOptions {
  db: Db;
  log: Log;
  runId: number;
  /** How often to check whether the run should stop, in ms. */
  pollMs: number;
  /** The minimum interval of progress reports, in ms. */
  signMs: number;
  /** It was asked to stop, or was ended elsewhere. */
  onEnd(why: "stop" | "lost"): void;
}

/** Reports a QA run's progress and tells its worker when to stop. */
export interface RunWatch {
  progress(progress: Progress): void;
  /** Stops polling; waits for a running query. */
  close(): Promise<void>;
}

/** Watches a run by its row, so that every runner can stop any other's. */
export function watchRun(options: WatchRunOptions): RunWatch {
  const { db, log, runId, signMs } = options;
  let latest: string | null = null;
  let written: string | null = null;
  let signedAt = performance.now();
  let checking: Promise<void> | null = null;

  async function check(): Promise<void> {
    const fresh = latest !== written ? latest : null;
    const due = performance.now() - signedAt >= signMs;
    const word =
      fresh !== null || due
        ? await updateRunProgress(db, runId, fresh)
        : await readStopSignal(db, runId);
    if (fresh !== null) written = fresh;
    if (fresh !== null || due) signedAt = performance.now();
    if (word === null) options.onEnd("lost");
    else if (word.stop) options.onEnd("stop");
  }

  const timer = setInterval(() => {
    checking ??= check()
      .catch((err: unknown) => log.warn({ err, runId }, "a QA run's progress couldn't be stored"))
      .finally(() => {
        checking = null;
      });
  }, options.pollMs);

  return {
    progress(progress) {
      latest = JSON.stringify(progress);
    },
    async close() {
      clearInterval(timer);
      await checking;
    },
  };
}
