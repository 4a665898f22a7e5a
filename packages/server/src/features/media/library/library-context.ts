import type { Clock } from "../../../kit/clock.ts";
import type { Limits } from "../../../platform/config.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { Log } from "../../../platform/log.ts";
import type { VideoConverter } from "../video/video-converter.ts";
import type { ImageWorkers } from "../image/workers.ts";
import type { JobFolder, MediaFiles } from "./files.ts";
import { findMediaBySrc, type Media } from "../store.ts";

/** Where a stored file is needed. */
export interface MediaUses {
  projects: { id: number; name: string }[];
  /** Those of the site's source that mention it. */
  files: string[];
  /** The ids of runs that are not published or discarded yet and would have a project show it. */
  runs: string[];
}

/** What taking a file in and taking it away both need. */
export interface LibraryContext {
  db: Db;
  clock: Clock;
  log: Log;
  limits: Limits["media"];
  images: ImageWorkers;
  videos: VideoConverter;
  files: MediaFiles;
  /** Told of every change, within its transaction. */
  onChange(trx: Db, reason: string): Promise<void>;
  usesOf(trx: Db, media: Media): Promise<MediaUses>;
}

/** The addresses of all files of an item. */
export function filesOf(media: Pick<Media, "src" | "poster" | "variants">): string[] {
  const variants = media.variants.map((variant) => variant.src);
  return [media.src, ...(media.poster === null ? [] : [media.poster]), ...variants];
}

/** Ends a job whatever came of it; where even that fails, the next boot does it. */
export async function endJob({ db, files, log }: LibraryContext, job: JobFolder): Promise<void> {
  const hasRow = async (src: string) => (await findMediaBySrc(db, [src])).has(src);
  await files.finalize(job, hasRow).catch((error: unknown) => {
    log.error({ err: error, job: job.dir }, "what an upload left can't be cleared away");
  });
}
