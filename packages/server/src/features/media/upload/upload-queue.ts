import type { Jobs } from "./jobs.ts";
import type { MediaLibrary } from "../library/library.ts";
import type { UploadedMedia } from "../schema.ts";

/** A file that is there in full, below the folder of uploads. */
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

/** Hands received files to the library and keeps their jobs up to date. */
export interface UploadQueue {
  /** Takes the file of a job; whatever comes of it, the file is gone from where it was. */
  add(id: string, received: ReceivedFile, signal?: AbortSignal): Promise<UploadResult>;
}

/** The one way from an upload, of whichever kind, into the library. */
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
