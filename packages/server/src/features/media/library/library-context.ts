import type { Clock } from "../../../kit/clock.ts";
import type { Limits } from "../../../platform/config.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { Log } from "../../../platform/log.ts";
import type { VideoConverter } from "../video/video-converter.ts";
import type { ImageWorkers } from "../image/workers.ts";
import type { JobFolder, MediaFiles } from "./files.ts";
import { findMediaBySrc, type Media } from "../store.ts";

/** Where a stored file is used. */
export interface MediaUses {
  projects: { id: number; name: string }[];
  /** Files of the site's source that mention it. */
  files: string[];
  /** IDs of undecided runs whose changes would make a project show it. */
  runs: string[];
}

/** What adding and removing files have in common. */
export interface LibraryContext {
  db: Db;
  clock: Clock;
  log: Log;
  limits: Limits["media"];
  images: ImageWorkers;
  videos: VideoConverter;
  files: MediaFiles;
  /** Called for every change, in its transaction. */
  onChange(trx: Db, reason: string): Promise<void>;
  usesOf(trx: Db, media: Media): Promise<MediaUses>;
  /** Called in the transaction that gives an item other addresses: the records follow. */
  onAddressChange(trx: Db, before: Media, after: Media): Promise<void>;
}

/** Ends a job whatever its result; if that fails, the next start does it. */
export async function endJob({ db, files, log }: LibraryContext, job: JobFolder): Promise<void> {
  const hasRow = async (src: string) => (await findMediaBySrc(db, [src])).has(src);
  await files.finalize(job, hasRow).catch((error: unknown) => {
    log.error({ err: error, job: job.dir }, "an upload's leftovers can't be deleted");
  });
}
