import { randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import type { Readable } from "node:stream";
import { DataStore, ERRORS, Upload } from "@tus/server";
import { makeSemaphore } from "../../../kit/concurrency.ts";
import { AppError } from "../../../kit/errors.ts";
import { ulidPattern } from "../../../kit/ulid.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { Log } from "../../../platform/log.ts";
import type { ObjectStore } from "../../../platform/storage/object-store.ts";
import { sniffLength } from "../media-type.ts";
import type { Job } from "../schema.ts";
import { type Inspection, inspectUpload, type UploadLimits } from "./inspection.ts";
import { retentionMs } from "./jobs.ts";
import {
  countUnfinished,
  deleteOldUploads,
  deleteUpload,
  endUpload,
  findUpload,
  insertUpload,
  listUnclaimed,
  listUploads,
  takeWriter,
  type UploadRow,
} from "./shared-upload-store.ts";
import {
  type ClaimedUpload,
  type ResumableStore,
  type StoredUpload,
  uploadLifetimeMs,
} from "./tus-store.ts";
import { makeUploadCopies, type UploadCopies } from "./upload-copies.ts";
import { adopter, failedJob, hasArrived, newAdopter, toJob } from "./upload-state.ts";
import { openPartWriter, type PartWriter, removeUnusedParts } from "./upload-parts.ts";
import { openClaim } from "./upload-claim.ts";

/** How the nodes of an instance share uploads. */
export interface SharedUploadsOptions {
  objects: Omit<ObjectStore, "close">;
  /** Whether the instance has left the object store: this node then has to restart without it. */
  hasEnded(): Promise<boolean>;
  /** How many bytes are stored at once; what arrived since is lost with the node. */
  partBytes?: number;
  /** How often a node tries again what wasn't possible, and looks for what others have left, in ms. */
  retryMs?: number;
}

export interface SharedUploadsDependencies extends SharedUploadsOptions {
  db: Db;
  log: Log;
  limits: UploadLimits;
  /** For this node's copies, which may be lost at any time. */
  directory: string;
}

const defaultPartBytes = 8 * 1024 * 1024;
/** A client that sends an upload in tiny requests makes as many objects. */
const maxParts = 10_000;
const maxListed = 600;

/**
 * Resumable uploads that any node can continue: their state is in PostgreSQL, and what has arrived is in
 * the object store before it is acknowledged. A request that continues an
 * upload takes the place of the one before; only one node at a time processes a complete upload.
 */
export class SharedUploads extends DataStore implements ResumableStore {
  readonly directory: string;
  readonly isShared = true;
  readonly #deps: SharedUploadsDependencies & { partBytes: number };
  readonly #copies: UploadCopies;
  /** The uploads that requests to this node add to. */
  readonly #written = new Set<string>();
  /** Those that are being stored because they were received before anything was shared. */
  readonly #adopted = new Set<string>();
  readonly #gathering = makeSemaphore(2);
  readonly #closing = new AbortController();

  constructor(deps: SharedUploadsDependencies) {
    super();
    this.directory = deps.directory;
    this.#deps = { ...deps, partBytes: deps.partBytes ?? defaultPartBytes };
    this.#copies = makeUploadCopies(deps);
    this.extensions = ["creation", "creation-with-upload", "termination", "expiration"];
  }

  override getExpiration(): number {
    return uploadLifetimeMs;
  }

  async #require(id: string): Promise<UploadRow> {
    const row = ulidPattern.test(id) ? await findUpload(this.#deps.db, id) : undefined;
    const isRefused = row?.result !== null && row !== undefined && toJob(row).status !== "done";
    if (row === undefined || isRefused) throw ERRORS.FILE_NOT_FOUND;
    return row;
  }

  /** What is accepted after the end of the sharing would be lost at the restart. */
  async #assertShared(): Promise<void> {
    if (!(await this.#deps.hasEnded())) return;
    const message =
      "This instance has left its object store. Unset STORAGE_URL, restart Vitrine, and upload the file again.";
    throw new AppError("unavailable", message);
  }

  override async create(upload: Upload): Promise<Upload> {
    await this.#assertShared();
    const { id, size = 0, metadata } = upload;
    const original_name = metadata?.["filename"] ?? "";
    const alt = metadata?.["alt"] ?? "";
    await insertUpload(this.#deps.db, { id, size, original_name, alt });
    return upload;
  }

  override async getUpload(id: string): Promise<Upload> {
    const { size, received: offset, original_name, alt, created_at } = await this.#require(id);
    const metadata = { filename: original_name, alt };
    return new Upload({ id, size, offset, metadata, creation_date: created_at });
  }

  /** Stores incoming data in parts; what has been stored stays if the connection breaks. */
  override async write(readable: Readable, id: string, offset: number): Promise<number> {
    const upload = await this.#require(id);
    if (offset === upload.size) return offset;
    if (upload.part_count >= maxParts) {
      const message = "This upload was sent in too many requests. Send larger parts of the file.";
      throw new AppError("too_large", message);
    }
    await this.#assertShared();
    if (this.#adopted.has(id)) {
      const message = "This upload is being moved to the object store. Try again in a moment.";
      throw new AppError("unavailable", message, { headers: { "retry-after": "5" } });
    }
    this.#written.add(id);
    try {
      return await this.#append(readable, upload, offset);
    } finally {
      this.#written.delete(id);
    }
  }

  async #append(readable: Readable, upload: UploadRow, offset: number): Promise<number> {
    const { db } = this.#deps;
    const { id } = upload;
    const writer = randomUUID();
    if (!(await takeWriter(db, { id, offset, writer }))) throw ERRORS.INVALID_OFFSET;
    const inspection = await this.#inspectionFrom(upload, offset);
    const file = this.#copies.fileOf(id);
    const local = this.#copies.partsOf(id);
    const onStored = (key: string) => void local.add(key);
    const parts = await openPartWriter(this.#deps, { id, file, offset, writer, onStored });
    try {
      await this.#receive(readable, { parts, inspection, size: upload.size });
      return await parts.end();
    } catch (error) {
      if (!(error instanceof Refusal)) {
        // What arrived before the connection broke needn't be sent again.
        await parts.end().catch(() => {});
        const isReplaced = error instanceof AppError && error.code === "locked";
        if (isReplaced && this.#copies.partsOf(id) === local) await this.#copies.remove(id);
        throw error;
      }
      const result = JSON.stringify(failedJob(id, error.cause));
      await parts.close();
      await endUpload(db, { id, by: writer, result });
      await this.#forget(id);
      throw error.cause;
    } finally {
      await parts.close();
    }
  }

  /** Tells all nodes of an upload that this one received before they shared anything. */
  async announce(upload: StoredUpload): Promise<void> {
    const { db } = this.#deps;
    const { id, size, offset, originalName: original_name, alt } = upload;
    await this.#assertShared();
    if (await findUpload(db, id)) return;
    const writer = newAdopter(offset === size);
    await insertUpload(db, { id, size, original_name, alt, writer });
  }

  /**
   * Stores what this node has of an upload that it has announced. What a request has continued since is
   * left to its client. Throws `locked` while a request does so.
   */
  async adopt(upload: StoredUpload, signal: AbortSignal): Promise<void> {
    const { id, file } = upload;
    const row = await findUpload(this.#deps.db, id);
    // Without the sharing, the file continues as it was.
    if (row === undefined) await this.#assertShared();
    if (row === undefined || row.ended_at !== null) return this.#copies.remove(id);
    const { received: offset, size, writer } = row;
    const isContinued = writer !== null && !writer.startsWith(adopter);
    if (isContinued || offset === size) return;
    if (this.#written.has(id)) throw new AppError("locked", "A request adds to this upload.");
    this.#adopted.add(id);
    try {
      const isComplete = upload.offset === size;
      await this.#storeFile({ id, file, offset, signal, isComplete });
    } finally {
      this.#adopted.delete(id);
    }
  }

  async #storeFile(from: {
    id: string;
    file: string;
    offset: number;
    signal: AbortSignal;
    isComplete: boolean;
  }): Promise<void> {
    const { id, file, offset, signal } = from;
    const writer = newAdopter(from.isComplete);
    if (!(await takeWriter(this.#deps.db, { id, offset, writer }))) {
      // Cancelled or continued in this moment: the next call finds out, and leaves no file behind.
      throw new AppError("locked", "This upload has just been changed.");
    }
    const local = this.#copies.partsOf(id);
    const onStored = (key: string) => void local.add(key);
    const parts = await openPartWriter(this.#deps, { ...from, writer, onStored });
    try {
      for await (const chunk of createReadStream(file, { start: offset, signal })) {
        await parts.add(chunk as Buffer);
      }
      await parts.end();
    } finally {
      await parts.close();
    }
  }

  async #receive(
    readable: Readable,
    target: { parts: PartWriter; inspection: Inspection | null; size: number },
  ): Promise<void> {
    const { parts, inspection, size } = target;
    for await (const chunk of readable as AsyncIterable<Uint8Array>) {
      refuse(() => inspection?.add(chunk));
      if (parts.offset + chunk.length === size) refuse(() => inspection?.end());
      await parts.add(chunk);
    }
  }

  /** Null if the file's first bytes were inspected already. */
  async #inspectionFrom({ id, size }: UploadRow, offset: number): Promise<Inspection | null> {
    if (offset >= sniffLength) return null;
    const inspection = inspectUpload(this.#deps.limits, size);
    if (offset === 0) return inspection;
    const handle = await open(await this.#copies.complete(id), "r");
    try {
      const head = Buffer.alloc(offset);
      await handle.read(head, 0, offset, 0);
      inspection.add(head);
    } finally {
      await handle.close();
    }
    return inspection;
  }

  /** Ends the removal of what isn't needed; the next process continues it. */
  close(): void {
    this.#closing.abort();
  }

  async listUnprocessed(): Promise<string[]> {
    return listUnclaimed(this.#deps.db);
  }

  async claim(id: string, cancelled: AbortSignal): Promise<ClaimedUpload | null> {
    const claim = await openClaim(this.#deps.db, id);
    if (claim === null) return null;
    try {
      const { size, original_name: originalName, alt } = await this.#require(id);
      // A request that another node's has replaced may still write to this node's copy.
      if (this.#written.has(id) || this.#adopted.has(id)) await this.#copies.remove(id);
      const signal = AbortSignal.any([cancelled, claim.signal]);
      const file = await this.#gathering.run(() => this.#copies.complete(id, signal), signal);
      const end = async (job: Job | undefined) => {
        await claim.end(job);
        await this.#forget(id);
      };
      return { ...claim, id, file, size, originalName, alt, end };
    } catch (error) {
      await claim.release();
      throw error;
    }
  }

  count(): Promise<number> {
    return countUnfinished(this.#deps.db);
  }

  async findJob(id: string): Promise<Job | undefined> {
    const row = await findUpload(this.#deps.db, id);
    return row && toJob(row);
  }

  async listJobs(): Promise<Job[]> {
    return (await listUploads(this.#deps.db, maxListed)).map(toJob);
  }

  override async remove(id: string): Promise<void> {
    if (!(await this.drop(id))) throw ERRORS.FILE_NOT_FOUND;
  }

  /** Removes an upload that hasn't ended, wherever it is received or processed; false if there is none. */
  async drop(id: string): Promise<boolean> {
    const isDeleted = await deleteUpload(this.#deps.db, id);
    if (isDeleted) await this.#forget(id);
    return isDeleted;
  }

  /** Removes an upload that is complete and not stored yet; false if there is none. */
  async dropComplete(id: string): Promise<boolean> {
    const row = await findUpload(this.#deps.db, id);
    return row !== undefined && hasArrived(row) && this.drop(id);
  }

  /** Removes what nobody needs of an upload that has ended. */
  async #forget(id: string): Promise<void> {
    await this.#copies.remove(id);
    await removeUnusedParts(this.#deps, this.#closing.signal);
  }

  async sweep(): Promise<string[]> {
    await deleteOldUploads(this.#deps.db, { lifetimeMs: uploadLifetimeMs, retentionMs });
    await this.removeCopies();
    await removeUnusedParts(this.#deps, this.#closing.signal);
    return [];
  }

  /** Removes this node's copies that nobody needs, such as those of an earlier process. */
  async removeCopies(): Promise<void> {
    const { db } = this.#deps;
    await this.#copies.removeOthers(async (id) => (await findUpload(db, id))?.ended_at === null);
  }
}

/** Why a file isn't accepted, as its cause. */
class Refusal extends Error {
  constructor(cause: unknown) {
    super("refused", { cause });
  }
}

function refuse(inspect: () => void): void {
  try {
    inspect();
  } catch (error) {
    throw error instanceof AppError ? new Refusal(error) : error;
  }
}
