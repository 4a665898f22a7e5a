import type { Clock } from "../../../kit/clock.ts";
import { failure } from "../../../kit/failure.ts";
import { toAppError } from "../../../kit/errors.ts";
import type { Job, UploadedMedia } from "../schema.ts";

/** How long a finished job is remembered, ms. */
export const retentionMs = 60 * 60 * 1000;

/** The state of uploads, only in memory, because stored media have rows. */
export interface Jobs {
  /** A file starts to arrive; replaces an earlier job with this ID. */
  start(id: string): void;
  /** The received part of the file, from 0 to 1; null if its length is unknown. */
  received(id: string, fraction: number | null): void;
  /** The file has been received and is waiting or being processed. */
  work(id: string, progress: { status: "waiting" | "working"; fraction: number | null }): void;
  done(id: string, result: { media: UploadedMedia; created: boolean }): void;
  failed(id: string, error: unknown): void;
  delete(id: string): void;
  /** Whether a job with this ID hasn't ended. */
  isRunning(id: string): boolean;
  find(id: string): Job | undefined;
  /** All remembered jobs, newest first. */
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

/** Remembers at most `max` jobs in addition to unfinished ones. */
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
      // The message of an unexpected error is only for the log.
      end(id, { status: "failed", error: failure(toAppError(error)).error });
    },
    delete: (id) => void entries.delete(id),
    isRunning: (id) => entries.get(id)?.endedAt === null,
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
