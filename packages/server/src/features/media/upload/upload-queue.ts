import type { Jobs } from "./jobs.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { Ingested } from "../library/ingest.ts";
import type { MediaLibrary } from "../library/library.ts";
import type { UploadedMedia } from "../schema.ts";

/** A completely received file below the uploads folder. */
export interface ReceivedFile {
  file: string;
  originalName: string;
  alt: string;
  bytes: number;
  sha256: string;
}

export interface UploadResult {
  media: UploadedMedia;
  created: boolean;
}

export interface UploadQueueOptions {
  signal?: AbortSignal;
  /** Called in the transaction that stores a new file; if it throws, nothing is stored. */
  onStored?: ((transaction: Db, result: UploadResult) => Promise<void>) | undefined;
}

/** Passes received files to the library and updates their jobs. */
export interface UploadQueue {
  /** Adds the file of a job; whatever the result, the file is removed from its place. */
  add(id: string, received: ReceivedFile, options?: UploadQueueOptions): Promise<UploadResult>;
}

function toResult({ media, created, warnings }: Ingested): UploadResult {
  return { media: warnings.length > 0 ? { ...media, warnings } : media, created };
}

/** The only way from an upload of any kind into the library. */
export function makeUploadQueue(deps: {
  library: Pick<MediaLibrary, "ingest">;
  jobs: Jobs;
}): UploadQueue {
  const { library, jobs } = deps;
  return {
    async add(id, received, { signal, onStored } = {}) {
      jobs.work(id, { status: "waiting", fraction: null });
      try {
        const ingested = await library.ingest({
          ...received,
          ...(signal ? { signal } : {}),
          onProgress: (progress) => jobs.work(id, progress),
          onStored: async (transaction, stored) => onStored?.(transaction, toResult(stored)),
        });
        const result = toResult(ingested);
        jobs.done(id, result);
        return result;
      } catch (error) {
        jobs.failed(id, error);
        throw error;
      }
    },
  };
}
