import type { Clock } from "../../../kit/clock.ts";
import type { Log } from "../../../platform/log.ts";
import type { SharedUploads } from "./shared-uploads.ts";
import { type StoredUpload, uploadLifetimeMs, type UploadStore } from "./tus-store.ts";

export interface AdoptionDependencies {
  /** What this node received before nodes shared anything. */
  folder: UploadStore;
  shared: SharedUploads;
  clock: Clock;
  log: Log;
  /** Called for each upload that the object store has from now on. */
  onAdopted(id: string): void;
}

/** Makes the uploads that a node received before it shared anything continue on any node. */
export interface Adoption {
  /** Tells all nodes of these uploads, so that no client has to begin again. */
  announce(): Promise<void>;
  /** Stores what this node has of them; what isn't possible now stays for the next call. */
  run(): Promise<void>;
  /** Ends what is being stored. */
  abort(): void;
}

/** Opens what a node received before it shared anything. Calls of `run` must not overlap. */
export function makeAdoption(deps: AdoptionDependencies): Adoption {
  const { folder, shared, clock, log, onAdopted } = deps;
  const closing = new AbortController();

  /** Removes what is broken or too old, and returns the others. */
  async function listUploads(): Promise<StoredUpload[]> {
    const uploads: StoredUpload[] = [];
    for (const id of await folder.describedIds()) {
      const upload = await folder.describe(id);
      const isTooOld = upload && upload.createdAt + uploadLifetimeMs < clock.now();
      if (upload && !isTooOld) uploads.push(upload);
      else await folder.drop(id);
    }
    return uploads;
  }

  async function announce(): Promise<void> {
    for (const upload of await listUploads()) {
      if (upload.isShared) continue;
      await shared.announce(upload);
      // From now on, an upload that no node knows has ended.
      await folder.setShared(upload.id, true);
    }
  }

  async function adopt(upload: StoredUpload): Promise<void> {
    const { id } = upload;
    try {
      await shared.adopt(upload, closing.signal);
      await folder.forget(id);
      onAdopted(id);
    } catch (error) {
      if (closing.signal.aborted) return;
      log.warn({ err: error, upload: id }, "an upload isn't shared yet; will try again");
    }
  }

  return {
    announce,
    async run() {
      await announce();
      for (const upload of await listUploads()) {
        if (closing.signal.aborted) return;
        await adopt(upload);
      }
    },
    abort: () => closing.abort(),
  };
}
