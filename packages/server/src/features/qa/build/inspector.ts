import { AppError } from "../../../kit/errors.ts";
import type { InspectionResult, Inspection } from "./inspect.ts";
import type { FromWorker, ToWorker } from "./inspect-worker.ts";
import { makeThread, sharedTime } from "./thread.ts";

/** How long one inspection's pages are looked at with every check, in ms; then they are glanced at. */
const maxInspectionMs = 20_000;
/**
 * One page may take this long, in ms, before its thread is ended and it counts as not checked; short
 * enough for the inspection to go on without two of them while its caller still waits.
 */
const pageTimeoutMs = 12_000;
/** A page that is still looked at when the time is over may take this much longer, in ms. */
const graceMs = 3000;
/** A thread that doesn't hear a stop for this long, in ms, hangs. */
const stopTimeoutMs = 5000;
/** So many pages may hang; then the others are only glanced at. */
const maxStalls = 3;

interface Pending {
  job: Inspection;
  finish(error: Error | null, result?: InspectionResult): void;
}

export interface Inspector {
  inspect(job: Omit<Inspection, "skip" | "until">, signal: AbortSignal): Promise<InspectionResult>;
}

const failure = () => new AppError("internal", "The build couldn't be checked.");

/** The job as it goes on after a page has made its thread hang; null when it can't. */
function without(job: Inspection, path: string): Inspection | null {
  // Where even a glance hangs, all would.
  if (job.skip.includes(path) || job.skip.length > 2 * maxStalls) return null;
  const skip = [...job.skip, path];
  return { ...job, skip, until: skip.length > maxStalls ? 0 : job.until };
}

/**
 * Inspects builds in a thread of its own, so that nothing here waits for it. A page that makes the
 * thread hang costs the thread, and the inspection goes on without that page.
 */
// oxlint-disable-next-line max-lines-per-function -- one closure over one state, in short parts
export function makeInspector(
  options: {
    inspectTimeoutMs?: number;
    /** By a page's path; one that has hung before, and is only glanced at, gets the usual. */
    pageTimeoutMs?: (path: string) => number;
    stopTimeoutMs?: number;
  } = {},
): Inspector {
  const pending = new Map<number, Pending>();
  /** Those that were stopped, until the thread has heard it. */
  const stopping = new Map<number, NodeJS.Timeout>();
  /** What the thread is at. */
  let at: { id: number; path: string } | null = null;
  let watch: NodeJS.Timeout | undefined;
  let last = 0;
  const file = new URL("./inspect-worker.ts", import.meta.url);
  const thread = makeThread<ToWorker, FromWorker>(file, acknowledge, replace);

  /** How long the thread may say nothing, in ms. A new one has to start first. */
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

  /** Ends the thread and has another one take up what is left, without the page it hung at. */
  function replace(): void {
    const hung = at;
    at = null;
    thread.end();
    for (const grace of stopping.values()) clearTimeout(grace);
    stopping.clear();
    for (const [id, { job, finish }] of pending) {
      // Without having begun a page, another thread would hang as well.
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
