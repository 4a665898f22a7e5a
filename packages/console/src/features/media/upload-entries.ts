import type { MediaItem } from "../../api/types.ts";
import type { KeptFiles, KeptUpload } from "./kept-files.ts";
import type { Resume } from "./send-file.ts";

/** A file being uploaded, and what the browser keeps of it. */
export interface Entry {
  upload: KeptUpload;
  /** Whether the next page can continue it. */
  isKept: boolean;
  isEnded: boolean;
  /** The latest write; writes are made one after the other. */
  written: Promise<void>;
  /** Lets other pages continue it. */
  release(): void;
}

/** Waits until no other page continues this upload; the result ends that for this page. */
export function hold(id: string): Promise<() => void> {
  return new Promise((resolve) => {
    void navigator.locks.request(
      `vitrine-upload-${id}`,
      () => new Promise<void>((release) => resolve(release)),
    );
  });
}

const digits = "0123456789abcdef";
export const newId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => digits[byte % 16]).join("");

/** How far an upload has come; `onChange` is called for each change. */
function trackedResume(entry: Entry, onChange: () => void): Resume {
  const set = (change: Partial<Resume>): void => {
    Object.assign(entry.upload.resume, change);
    onChange();
  };
  return {
    get address() {
      return entry.upload.resume.address;
    },
    set address(address) {
      set({ address });
    },
    get job() {
      return entry.upload.resume.job;
    },
    set job(job) {
      set({ job });
    },
  };
}

/** What the browser keeps of the uploads of the admin pages. */
export function makeEntries(files: Promise<KeptFiles | null>, onChange: () => void) {
  /** Queues a write; one that fails leaves the entry as it was. */
  function write(entry: Entry, change: (kept: KeptFiles) => Promise<void>): void {
    const before = entry.written;
    const run = async (): Promise<void> => {
      await before;
      const kept = await files;
      if (kept) await change(kept);
    };
    entry.written = run().catch(() => {});
  }
  return {
    /** An entry of an upload that this page holds, or of a new one. */
    create(upload: KeptUpload, release: () => void = () => {}, isKept = false): Entry {
      return { upload, isKept, isEnded: false, written: Promise.resolve(), release };
    },
    /** Stores a new upload with its file; without room for the file, what can be continued with it. */
    keep(entry: Entry, file: File): void {
      write(entry, async (kept) => {
        if (entry.isEnded) return;
        entry.release = await hold(entry.upload.id);
        const isStored = await kept.put(entry.upload, file).then(
          () => true,
          () => false,
        );
        if (!isStored) await kept.put(entry.upload);
        entry.isKept = isStored;
        onChange();
      });
    },
    /** How far an upload has come; a change is stored. */
    resumeOf(entry: Entry): Resume {
      return trackedResume(entry, () =>
        write(entry, async (kept) => {
          if (!entry.isEnded) await kept.put(entry.upload);
        }),
      );
    },
    /** Keeps the stored file of an upload for its form, which isn't open now. */
    settle(entry: Entry, media: MediaItem): void {
      entry.isEnded = true;
      entry.isKept = false;
      entry.upload.media = media;
      write(entry, async (kept) => {
        await kept.settle(entry.upload);
        entry.release();
      });
    },
    /** Forgets an upload that needs no continuation. */
    end(entry: Entry): void {
      entry.isEnded = true;
      entry.isKept = false;
      // Retry after Cancel starts again.
      entry.upload.resume = { address: null, job: null };
      write(entry, async (kept) => {
        await kept.remove(entry.upload.id);
        entry.release();
      });
    },
  };
}

export type UploadEntries = ReturnType<typeof makeEntries>;
