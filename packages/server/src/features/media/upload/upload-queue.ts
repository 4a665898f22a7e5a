import type { Jobs } from "./jobs.ts";
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

/** Passes received files to the library and updates their jobs. */
export interface UploadQueue {
  /** Adds the file of a job; whatever the result, the file is removed from its place. */
  add(id: string, received: ReceivedFile, signal?: AbortSignal): Promise<UploadResult>;
}

/** The only way from an upload of any kind into the library. */
export function makeUploadQueue(deps: {
  library: Pick<MediaLibrary, "ingest">;
  jobs: Jobs;
}): UploadQueue {
  const { library, jobs } = deps;
  return {
    async add(id, received, signal) {
      jobs.work(id, { status: "waiting", fraction: null });
      try {
        const { media, created, warnings } = await library.ingest({
          ...received,
          ...(signal ? { signal } : {}),
          onProgress: (progress) => jobs.work(id, progress),
        });
        const uploaded = warnings.length > 0 ? { ...media, warnings } : media;
        jobs.done(id, { media: uploaded, created });
        return { media: uploaded, created };
      } catch (error) {
        jobs.failed(id, error);
        throw error;
      }
    },
  };
}
