import type { Clock } from "../../kit/clock.ts";
import { AppError, toAppError } from "../../kit/errors.ts";
import { isoTime } from "../../kit/time.ts";
import type { SiteJob } from "./schema.ts";

/** How many sites are created or removed at once. */
const maxRunning = 3;
/** How many ended jobs are kept until they are dismissed, and for how long, in ms. */
export const maxEnded = 20;
export const keptMs = 60 * 60_000;
/** How long a caller waits for what a job refuses before it has changed anything, in ms. */
const checkMs = 20_000;

/** Creations and removals of sites, which take a while: they continue without the page that started them. */
export interface SiteJobs {
  /**
   * Starts a job and returns once it has reported its first step, after its checks. Throws what it
   * throws before, `locked` if one for this site is running, and `unavailable` if too many are.
   */
  start(
    job: Pick<SiteJob, "name" | "kind">,
    work: (onProgress: (line: string) => void) => Promise<{ link: string | null }>,
  ): Promise<SiteJob>;
  /** Those that run or have ended, newest first. */
  list(): Promise<SiteJob[]>;
  /** Forgets one that has ended. */
  dismiss(name: string): Promise<void>;
}

interface Entry extends SiteJob {
  /** Null while it runs. */
  endedAt: number | null;
}

interface SiteJobsDependencies {
  clock: Pick<Clock, "now">;
  /** Gets unexpected failures. */
  onError(name: string, error: unknown): void;
}

/** Forgets ended jobs that are old, or too many. The map has the oldest first. */
function forgetOld(jobs: Map<string, Entry>, now: number): void {
  const ended = [...jobs.values()].filter(({ endedAt }) => endedAt !== null);
  const surplus = ended.slice(0, Math.max(0, ended.length - maxEnded));
  const expired = ended.filter(({ endedAt }) => (endedAt ?? now) + keptMs <= now);
  for (const { name } of [...surplus, ...expired]) jobs.delete(name);
}

/** Throws `locked` if one of the running jobs is for this site, and `unavailable` if there are too many. */
export function assertFree(running: readonly string[], name: string): void {
  if (running.includes(name)) {
    const message = `The site “${name}” is being created or removed. Wait until that's done.`;
    throw new AppError("locked", message);
  }
  if (running.length < maxRunning) return;
  const message = `Vitrine is already creating or removing ${maxRunning} sites. Try again when one of them is done.`;
  throw new AppError("unavailable", message, { headers: { "retry-after": "10" } });
}

function toJob({ endedAt: _endedAt, ...job }: Entry): SiteJob {
  return { ...job };
}

/** Resolves when it is called, and after the time for checks. */
export function makeCheckpoint() {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const point = {
    isPassed: false,
    pass,
    reject,
    passed: promise.finally(() => clearTimeout(timer)),
  };
  const timer = setTimeout(pass, checkMs);
  function pass(): void {
    point.isPassed = true;
    resolve();
  }
  return point;
}

function newEntry(job: Pick<SiteJob, "name" | "kind">, now: number): Entry {
  const local = { isLinkUnreadable: false, endedAt: null };
  const empty = { progress: null, node: null, link: null, error: null };
  return { ...job, state: "running", startedAt: isoTime(now), ...empty, ...local };
}

/**
 * Keeps the jobs of an installation on one disk in memory: if the process ends, a site that isn't finished
 * can be created or removed again.
 */
export function makeSiteJobs({ clock, onError }: SiteJobsDependencies): SiteJobs {
  const jobs = new Map<string, Entry>();

  /** Puts a job last, in the place of an earlier one of its site, which it returns. */
  function put(entry: Entry): Entry | undefined {
    const before = jobs.get(entry.name);
    jobs.delete(entry.name);
    jobs.set(entry.name, entry);
    return before;
  }

  return {
    async start({ name, kind }, work) {
      forgetOld(jobs, clock.now());
      const running = [...jobs.values()].filter(({ state }) => state === "running");
      assertFree(
        running.map((job) => job.name),
        name,
      );
      const entry = newEntry({ name, kind }, clock.now());
      const before = put(entry);
      const checks = makeCheckpoint();
      const onProgress = (progress: string) => {
        entry.progress = progress;
        checks.pass();
      };
      const run = async () => {
        try {
          const { link } = await work(onProgress);
          Object.assign(entry, { state: "done", link, endedAt: clock.now() });
          checks.pass();
        } catch (cause) {
          const known = toAppError(cause);
          if (known.code === "internal") onError(name, cause);
          const error = { code: known.code, message: known.message };
          Object.assign(entry, { state: "failed", error, endedAt: clock.now() });
          if (checks.isPassed) return;
          // Nothing has changed, and the caller gets the error itself.
          jobs.delete(name);
          if (before !== undefined) put(before);
          checks.reject(known);
        }
      };
      void run();
      await checks.passed;
      return toJob(entry);
    },
    async list() {
      forgetOld(jobs, clock.now());
      return [...jobs.values()].map(toJob).toReversed();
    },
    async dismiss(name) {
      if (jobs.get(name)?.state !== "running") jobs.delete(name);
    },
  };
}
