import { AppError } from "../../../kit/errors.ts";
import type { InspectionResult, Inspection } from "./inspect.ts";
import type { FromWorker, ToWorker } from "./inspect-worker.ts";
import { makeThread, sharedTime } from "./thread.ts";

/** How long pages of one inspection get every check, in ms; the rest is checked briefly. */
const maxInspectionMs = 20_000;
/**
 * Time limit of a page, in ms, after which its thread is terminated and the page counts as not
 * checked. It is short enough for two such pages while the caller still waits.
 */
const pageTimeoutMs = 12_000;
/** Extra time for the page being inspected when the time is up, in ms. */
const graceMs = 3000;
/** A thread that doesn't react to a stop for this long, in ms, is stuck. */
const stopTimeoutMs = 5000;
/** After this many stuck pages, the rest is only checked briefly. */
const maxStalls = 3;

interface Pending {
  job: Inspection;
  finish(error: Error | null, result?: InspectionResult): void;
}

export interface Inspector {
  inspect(job: Omit<Inspection, "skip" | "until">, signal: AbortSignal): Promise<InspectionResult>;
}

const failure = () => new AppError("internal", "The build couldn't be checked.");

/** The remaining job after a page got its thread stuck; null if it can't continue. */
function without(job: Inspection, path: string): Inspection | null {
  // If even a brief check gets stuck, all pages would.
  if (job.skip.includes(path) || job.skip.length > 2 * maxStalls) return null;
  const skip = [...job.skip, path];
  return { ...job, skip, until: skip.length > maxStalls ? 0 : job.until };
}

/**
 * Inspects builds in a separate thread without blocking this one. If a page gets the thread stuck,
 * the thread is replaced and the inspection continues without that page.
 */
// oxlint-disable-next-line max-lines-per-function -- one closure over one state, in short parts
export function makeInspector(
  options: {
    inspectTimeoutMs?: number;
    /**
     * By a page's path; a page that was stuck before, and is only checked briefly, gets the
     * default.
     */
    pageTimeoutMs?: (path: string) => number;
    stopTimeoutMs?: number;
  } = {},
): Inspector {
  const pending = new Map<number, Pending>();
  /** Stopped jobs whose stop the thread hasn't confirmed yet. */
  const stopping = new Map<number, NodeJS.Timeout>();
  /** What the thread is doing. */
  let at: { id: number; path: string } | null = null;
  let watch: NodeJS.Timeout | undefined;
  let last = 0;
  const file = new URL("./inspect-worker.ts", import.meta.url);
  const thread = makeThread<ToWorker, FromWorker>(file, acknowledge, replace);

  /** How long the thread may be silent, in ms. A new one has to start first. */
  function timeoutMs(): number {
    if (at === null) return pageTimeoutMs;
    const { id, path } = at;
    const hasHung = pending.get(id)?.job.skip.includes(path) === true;
    const own = (hasHung ? undefined : options.pageTimeoutMs?.(path)) ?? pageTimeoutMs;
    const untils = [...pending.values()].map(({ job }) => job.until);
    const left = Math.max(0, Math.min(...untils) - sharedTime());
    return Math.min(own, left + graceMs);
  }

  function rewatch(): void {
    clearTimeout(watch);
    const busy = pending.size > 0;
    thread.setBusy(busy);
    if (busy) watch = setTimeout(replace, timeoutMs()).unref();
  }

  /** Replaces the thread; the new one does the rest without the page it was stuck at. */
  function replace(): void {
    const hung = at;
    at = null;
    thread.end();
    for (const grace of stopping.values()) clearTimeout(grace);
    stopping.clear();
    for (const [id, { job, finish }] of pending) {
      // It hadn't started a page, so another thread would get stuck as well.
      const again = hung && (hung.id === id ? without(job, hung.path) : job);
      if (again === null) {
        finish(failure());
        continue;
      }
      pending.set(id, { job: again, finish });
      thread.send({ kind: "inspect", id, job: again });
    }
    rewatch();
  }

  function acknowledge(message: FromWorker): void {
    const { id } = message;
    if (message.kind === "page") at = { id, path: message.path };
    else {
      if (at?.id === id) at = null;
      clearTimeout(stopping.get(id));
      stopping.delete(id);
    }
    const found = pending.get(id);
    if (!found) return;
    if (message.kind === "done") found.finish(null, message.result);
    else if (message.kind === "failed") found.finish(message.error);
    rewatch();
  }

  return {
    inspect: (job, signal) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) throw signal.reason as Error;
        const id = ++last;
        const stop = () => {
          thread.send({ kind: "stop", id });
          const grace = setTimeout(replace, options.stopTimeoutMs ?? stopTimeoutMs);
          stopping.set(id, grace.unref());
          finish(signal.reason as Error);
        };
        const finish: Pending["finish"] = (error, result) => {
          pending.delete(id);
          signal.removeEventListener("abort", stop);
          if (result) resolve(result);
          else reject(error ?? failure());
          rewatch();
        };
        signal.addEventListener("abort", stop);
        const until = sharedTime() + (options.inspectTimeoutMs ?? maxInspectionMs);
        const whole = { ...job, skip: [], until };
        pending.set(id, { job: whole, finish });
        thread.send({ kind: "inspect", id, job: whole });
        rewatch();
      }),
  };
}
