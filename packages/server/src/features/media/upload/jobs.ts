import type { Clock } from "../../../kit/clock.ts";
import { failure } from "../../../kit/failure.ts";
import { toAppError } from "../../../kit/errors.ts";
import type { Job, UploadedMedia } from "../schema.ts";

/** How long the end of a job is remembered, ms. */
const retentionMs = 60 * 60 * 1000;

/** What becomes of the uploads: kept in memory alone, since what is stored has a row of its own. */
export interface Jobs {
  /** A file begins to arrive; a job of this id that was there before is replaced. */
  start(id: string): void;
  /** How much of the file is there, from 0 to 1; null where its length is unknown. */
  received(id: string, fraction: number | null): void;
  /** The file is there in full and waits, or is worked on. */
  work(id: string, progress: { status: "waiting" | "working"; fraction: number | null }): void;
  done(id: string, result: { media: UploadedMedia; created: boolean }): void;
  failed(id: string, error: unknown): void;
  delete(id: string): void;
  find(id: string): Job | undefined;
  /** All that are remembered, newest first. */
  list(): Job[];
}

interface Entry {
  job: Job;
  endedAt: number | null;
}

function fresh(id: string): Job {
  return { id, status: "receiving", progress: null, media: null, created: null, error: null };
}

function clamped(fraction: number | null): number | null {
  return fraction === null ? null : Math.min(1, Math.max(0, fraction));
}

/** Remembers at most `max` jobs beyond those that are still under way. */
export function makeJobs({ clock, max = 500 }: { clock: Clock; max?: number }): Jobs {
  const entries = new Map<string, Entry>();

  function tidy(): void {
    const forgotten = clock.monotonic() - retentionMs;
    let excess = entries.size - max;
    for (const [id, { endedAt }] of entries) {
      if (endedAt === null || (endedAt > forgotten && excess <= 0)) continue;
      entries.delete(id);
      excess -= 1;
    }
  }

  function change(id: string, changed: Partial<Job>): void {
    const entry = entries.get(id);
    if (entry && entry.endedAt === null) entry.job = { ...entry.job, ...changed };
  }

  function end(id: string, changed: Partial<Job>): void {
    change(id, { ...changed, progress: null });
    const entry = entries.get(id);
    if (entry) entry.endedAt ??= clock.monotonic();
  }

  return {
    start(id) {
      entries.delete(id);
      entries.set(id, { job: fresh(id), endedAt: null });
      tidy();
    },
    received: (id, fraction) => change(id, { progress: clamped(fraction) }),
    work: (id, { status, fraction }) => change(id, { status, progress: clamped(fraction) }),
    done: (id, result) => end(id, { status: "done", ...result }),
    failed: (id, error) => {
      // An unexpected error's words are for the log.
      end(id, { status: "failed", error: failure(toAppError(error)).error });
    },
    delete: (id) => void entries.delete(id),
    find(id) {
      tidy();
      return entries.get(id)?.job;
    },
    list() {
      tidy();
      return [...entries.values()].map(({ job }) => job).toReversed();
    },
  };
}
