import { randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import type { Readable } from "node:stream";
import { DataStore, ERRORS, Upload } from "@tus/server";
import { makeSemaphore, mapConcurrently } from "../../../kit/concurrency.ts";
import { AppError } from "../../../kit/errors.ts";
import { failure } from "../../../kit/failure.ts";
import { parseJson } from "../../../kit/json.ts";
import { ulidPattern } from "../../../kit/ulid.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { Log } from "../../../platform/log.ts";
import type { ObjectStore } from "../../../platform/storage/object-store.ts";
import { sniffLength } from "../media-type.ts";
import { type Job, job as jobSchema } from "../schema.ts";
import { type Inspection, inspectUpload, type UploadLimits } from "./inspection.ts";
import { retentionMs } from "./jobs.ts";
import {
  claimUpload,
  countUnfinished,
  deleteOldUploads,
  deleteParts,
  deleteUpload,
  endUpload,
  findUpload,
  insertUpload,
  listUnclaimed,
  listUnusedParts,
  listUploads,
  renewClaim,
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
import { openPartWriter, type PartWriter } from "./upload-parts.ts";

/** How the nodes of an instance share uploads. */
export interface SharedUploadsOptions {
  objects: Omit<ObjectStore, "close">;
  /** How many bytes are stored at once; what arrived since is lost with the node. */
  partBytes?: number;
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
/** How long a process may be silent before others take over what it processes, in ms. */
const leaseMs = 60_000;
const renewEveryMs = 10_000;
/** Longer than anybody takes to store a part, in ms. */
const abandonedMs = 24 * 60 * 60 * 1000;
const maxRemoved = 1000;
const maxListed = 600;

function failedJob(id: string, error: unknown): Job {
  const result = failure(error as AppError).error;
  return { id, status: "failed", progress: null, media: null, created: null, error: result };
}

/** What is known of an upload everywhere. */
function toJob({ id, size, received, held_until, result }: UploadRow): Job {
  if (result !== null) return jobSchema.parse(parseJson(result));
  const empty = { id, media: null, created: null, error: null };
  if (received < size) return { ...empty, status: "receiving", progress: received / size };
  return { ...empty, status: held_until === null ? "waiting" : "working", progress: null };
}

/**
 * Resumable uploads that any node can continue: their state is in PostgreSQL, and what has arrived is in
 * the object store before a client is told that it needn't send it again. A request that continues an
 * upload takes the place of the one before; only one node at a time processes a complete upload.
 */
export class SharedUploads extends DataStore implements ResumableStore {
  readonly directory: string;
  readonly isShared = true;
  readonly #deps: SharedUploadsDependencies & { partBytes: number };
  readonly #copies: UploadCopies;
  /** The uploads that requests to this node add to. */
  readonly #written = new Set<string>();
  readonly #gathering = makeSemaphore(2);

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

  override async create(upload: Upload): Promise<Upload> {
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
    const { db } = this.#deps;
    const upload = await this.#require(id);
    if (offset === upload.size) return offset;
    if (upload.part_count >= maxParts) {
      const message = "This upload was sent in too many requests. Send larger parts of the file.";
      throw new AppError("too_large", message);
    }
    const writer = randomUUID();
    if (!(await takeWriter(db, { id, offset, writer }))) throw ERRORS.INVALID_OFFSET;
    const inspection = await this.#inspectionFrom(upload, offset);
    const file = this.#copies.fileOf(id);
    const local = this.#copies.partsOf(id);
    const onStored = (key: string) => void local.add(key);
    const parts = await openPartWriter(this.#deps, { id, file, offset, writer, onStored });
    this.#written.add(id);
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
      this.#written.delete(id);
    }
  }

  /** Takes over an upload that was received before the nodes shared anything. */
  async adopt({ id, file, size, originalName: original_name, alt }: StoredUpload): Promise<void> {
    const { db } = this.#deps;
    if (!(await findUpload(db, id))) await insertUpload(db, { id, size, original_name, alt });
    const { received: offset } = await this.#require(id);
    const writer = randomUUID();
    if (!(await takeWriter(db, { id, offset, writer }))) return;
    const local = this.#copies.partsOf(id);
    const onStored = (key: string) => void local.add(key);
    const parts = await openPartWriter(this.#deps, { id, file, offset, writer, onStored });
    try {
      for await (const chunk of createReadStream(file, { start: offset })) {
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

  async listUnprocessed(): Promise<string[]> {
    return listUnclaimed(this.#deps.db);
  }

  async claim(id: string): Promise<ClaimedUpload | null> {
    const { db } = this.#deps;
    const holder = randomUUID();
    if (!(await claimUpload(db, { id, holder, leaseMs }))) return null;
    const lost = new AbortController();
    const timer = setInterval(() => {
      const renewed = renewClaim(db, { id, holder, leaseMs });
      // Without the database, nobody else takes over either.
      renewed.then((isOurs) => isOurs || lost.abort()).catch(() => {});
    }, renewEveryMs).unref();
    const release = async () => {
      clearInterval(timer);
      await renewClaim(db, { id, holder, leaseMs: 0 });
    };
    try {
      const { size, original_name: originalName, alt } = await this.#require(id);
      // A request that another node's has replaced may still write to this node's copy.
      if (this.#written.has(id)) await this.#copies.remove(id);
      const file = await this.#gathering.run(() => this.#copies.complete(id), lost.signal);
      const end = async (job: Job | undefined) => {
        clearInterval(timer);
        if (job === undefined) await deleteUpload(db, id, holder);
        else await endUpload(db, { id, by: holder, result: JSON.stringify(job) });
        await this.#forget(id);
      };
      return { id, file, size, originalName, alt, signal: lost.signal, end, release };
    } catch (error) {
      await release();
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
    return row !== undefined && row.received === row.size && this.drop(id);
  }

  /** Removes what nobody needs of an upload that has ended. */
  async #forget(id: string): Promise<void> {
    await this.#copies.remove(id);
    // If that fails, the next sweep does it.
    await this.#removeUnusedParts().catch((error: unknown) => {
      this.#deps.log.warn({ err: error }, "an upload's parts couldn't be removed; will try again");
    });
  }

  async #removeUnusedParts(): Promise<void> {
    const { db, objects } = this.#deps;
    const keys = await listUnusedParts(db, { abandonedMs, limit: maxRemoved });
    await mapConcurrently(keys, 8, (key) => objects.remove(key));
    await deleteParts(db, keys);
  }

  async sweep(): Promise<string[]> {
    const { db } = this.#deps;
    await deleteOldUploads(db, { lifetimeMs: uploadLifetimeMs, retentionMs });
    await this.#removeUnusedParts();
    await this.#copies.removeOthers(async (id) => (await findUpload(db, id))?.ended_at === null);
    return [];
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
