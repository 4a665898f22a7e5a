import { randomUUID } from "node:crypto";
import { AppError } from "../../../kit/errors.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { Job } from "../schema.ts";
import { claimUpload, deleteUpload, endUpload, renewClaim } from "./shared-upload-store.ts";
import type { ClaimedUpload } from "./tus-store.ts";

/** How long a process may be silent before others take over what it processes, in ms. */
const leaseMs = 60_000;
const renewEveryMs = 10_000;

/** A node's claim to process a complete upload of all nodes. */
export interface UploadClaim extends Pick<ClaimedUpload, "signal" | "release"> {
  onStored: NonNullable<ClaimedUpload["onStored"]>;
  /** Stores the result, or deletes the upload if there is none, unless it isn't this node's any more. */
  end(job: Job | undefined): Promise<void>;
}

/** Claims an upload until `end` or `release`; null if there is nothing to claim. */
export async function openClaim(db: Db, id: string): Promise<UploadClaim | null> {
  const holder = randomUUID();
  if (!(await claimUpload(db, { id, holder, leaseMs }))) return null;
  const lost = new AbortController();
  const timer = setInterval(() => {
    const renewed = renewClaim(db, { id, holder, leaseMs });
    // Without the database, nobody else takes over either.
    renewed.then((isOurs) => isOurs || lost.abort()).catch(() => {});
  }, renewEveryMs).unref();
  return {
    signal: lost.signal,
    async onStored(transaction, { media, created }) {
      const done: Job = { id, status: "done", progress: null, media, created, error: null };
      const result = JSON.stringify(done);
      if (await endUpload(transaction, { id, by: holder, result })) return;
      lost.abort();
      throw new AppError("conflict", "The upload was cancelled, or another node processes it.");
    },
    async end(job) {
      clearInterval(timer);
      if (job === undefined) await deleteUpload(db, id, holder);
      else await endUpload(db, { id, by: holder, result: JSON.stringify(job) });
    },
    async release() {
      clearInterval(timer);
      await renewClaim(db, { id, holder, leaseMs: 0 });
    },
  };
}
