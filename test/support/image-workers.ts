import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pino from "pino";
import {
  type ImageWorkers,
  makeImageWorkers,
} from "../../packages/server/src/features/media/image/workers.ts";
import { AppError } from "../../packages/server/src/kit/errors.ts";
import { defaultLimits } from "../../packages/server/src/platform/config.ts";

let workers: ImageWorkers | undefined;

/**
 * The image workers of all tests in this process, with the usual limits: starting one takes several
 * times as long as converting an image. `close` ends only what was asked of this object.
 */
export function sharedImageWorkers(): ImageWorkers {
  workers ??= makeImageWorkers({
    limits: defaultLimits.media,
    log: pino({ level: "silent" }),
    dir: mkdtempSync(join(tmpdir(), "vitrine-images-")),
  });
  const all = workers;
  const closing = new AbortController();
  const inside = new Set<Promise<unknown>>();

  async function ask<Job extends { signal?: AbortSignal }, Result>(
    work: (job: Job) => Promise<Result>,
    job: Job,
  ): Promise<Result> {
    const signals = job.signal ? [closing.signal, job.signal] : [closing.signal];
    const result = work({ ...job, signal: AbortSignal.any(signals) });
    inside.add(result);
    try {
      return await result;
    } finally {
      inside.delete(result);
    }
  }

  return {
    convert: (job) => ask(all.convert, job),
    placeholder: (job) => ask(all.placeholder, job),
    makeAvif: (job) => ask(all.makeAvif, job),
    async close() {
      closing.abort(new AppError("unavailable", "These image workers are closed."));
      await Promise.allSettled(inside);
    },
  };
}
