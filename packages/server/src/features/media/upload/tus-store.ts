import { type FileHandle, open, readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { FileStore } from "@tus/file-store";
import { type DataStore, ERRORS, Upload } from "@tus/server";
import { AppError } from "../../../kit/errors.ts";
import { ulidPattern } from "../../../kit/ulid.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { undefinedIfMissing, writeAll, writeFileAtomic } from "../../../platform/files.ts";
import { sniffLength } from "../media-type.ts";
import type { Job } from "../schema.ts";
import { type Inspection, inspectUpload, type UploadLimits } from "./inspection.ts";
import type { UploadResult } from "./upload-queue.ts";

/** How long an unfinished upload is kept, ms. */
export const uploadLifetimeMs = 24 * 60 * 60 * 1000;

/** What a description says of where the upload is once all nodes know it. */
const objectStoreType = "object-store";

export interface UploadStoreOptions {
  directory: string;
  limits: UploadLimits;
  onCreated(id: string): void;
  onReceived(id: string, fraction: number): void;
  /** Called when an upload was refused and removed. */
  onRefused(id: string, error: AppError): void;
  /** The length of a processed upload: its file is gone, and it is complete. */
  completedBytes(id: string): number | undefined;
}

/** The state of an upload on disk. */
export interface StoredUpload {
  id: string;
  file: string;
  /** The received and the total bytes. */
  offset: number;
  size: number;
  /** ms */
  createdAt: number;
  originalName: string;
  alt: string;
  /** Whether all nodes know it: then it may have ended at another one. */
  isShared: boolean;
}

/** A complete upload while it is processed. */
export interface ClaimedUpload extends Pick<
  StoredUpload,
  "id" | "file" | "size" | "originalName" | "alt"
> {
  /** Aborted when it was cancelled elsewhere. */
  signal: AbortSignal;
  /**
   * Ends it in the transaction that stores its file. Throws `conflict` if it was cancelled, or if another
   * node processes it.
   */
  onStored?(transaction: Db, result: UploadResult): Promise<void>;
  /** Removes what was received; `job` is what to report from now on. */
  end(job: Job | undefined): Promise<void>;
  /** Leaves it for the next start, or for another node. */
  release(): Promise<void>;
}

/** Where uploads are until they have been processed. */
export interface ResumableStore extends DataStore {
  /** This node's folder for uploads. */
  readonly directory: string;
  /** Whether other nodes can continue and process its uploads. */
  readonly isShared: boolean;
  /** How many uploads haven't ended. */
  count(): Promise<number>;
  /** The IDs of complete uploads that nobody processes, oldest first. */
  listUnprocessed(): Promise<string[]>;
  /** Gets a complete upload to process it; null if it is gone, or if another node does. Can be aborted. */
  claim(id: string, signal: AbortSignal): Promise<ClaimedUpload | null>;
  /** Removes everything about an upload that hasn't ended. */
  drop(id: string): Promise<unknown>;
  /** Removes uploads that are too old, except busy ones. Returns their IDs if nobody else knows. */
  sweep(now: number, isBusy: (id: string) => boolean): Promise<string[]>;
}

/**
 * An inspection of the part of a file that has arrived. Its first bytes were inspected on arrival,
 * and only they are inspected again.
 */
async function resumeInspection(
  handle: FileHandle,
  offset: number,
  size: number,
  limits: UploadStoreOptions["limits"],
): Promise<Inspection> {
  const inspection = inspectUpload(limits, size);
  const head = Buffer.alloc(Math.min(offset, sniffLength));
  if (head.length > 0) {
    const { bytesRead } = await handle.read(head, 0, head.length, 0);
    inspection.add(head.subarray(0, bytesRead));
  }
  return inspection;
}

/**
 * Resumable uploads in a folder: a file with a description, each named by the upload's ID. An
 * upload's length is known from its creation, its type from its first bytes.
 */
export class UploadStore extends FileStore implements ResumableStore {
  readonly isShared = false;
  readonly #options: UploadStoreOptions;

  constructor(options: UploadStoreOptions) {
    super({ directory: options.directory, expirationPeriodInMilliseconds: uploadLifetimeMs });
    this.#options = options;
    this.extensions = ["creation", "creation-with-upload", "termination", "expiration"];
  }

  pathOf(id: string): string {
    if (!ulidPattern.test(id)) throw ERRORS.FILE_NOT_FOUND;
    return join(this.directory, id);
  }

  #descriptionOf(id: string): string {
    return `${this.pathOf(id)}.json`;
  }

  override async create(upload: Upload): Promise<Upload> {
    const path = this.pathOf(upload.id);
    try {
      await writeFile(path, "", { flag: "wx", mode: 0o600 });
      await this.configstore.set(upload.id, upload);
    } catch (error) {
      await this.drop(upload.id);
      throw error;
    }
    this.#options.onCreated(upload.id);
    upload.storage = { type: "file", path };
    return upload;
  }

  override async getUpload(id: string): Promise<Upload> {
    const taken = this.#options.completedBytes(id);
    if (taken !== undefined) return new Upload({ id, size: taken, offset: taken });
    return super.getUpload(id);
  }

  /** Writes incoming data to disk; what has been written stays if the connection breaks. */
  override async write(readable: Readable, id: string, offset: number): Promise<number> {
    const { size = 0 } = await this.getUpload(id);
    if (offset === size) return size;
    const handle = await open(this.pathOf(id), "r+");
    let position = offset;
    try {
      const inspection = await resumeInspection(handle, offset, size, this.#options.limits);
      for await (const chunk of readable as AsyncIterable<Uint8Array>) {
        inspection.add(chunk);
        await writeAll(handle, chunk, position);
        position += chunk.length;
        this.#options.onReceived(id, position / size);
      }
      if (position === size) inspection.end();
      // Before the client is told that it needn't send them again.
      await handle.datasync();
    } catch (error) {
      if (error instanceof AppError) {
        await this.drop(id);
        this.#options.onRefused(id, error);
      }
      throw error;
    } finally {
      await handle.close();
    }
    return position;
  }

  override async remove(id: string): Promise<void> {
    const described = await this.configstore.get(id);
    await this.drop(id);
    if (!described) throw ERRORS.FILE_NOT_FOUND;
  }

  /** Removes everything about an upload. */
  async drop(id: string): Promise<void> {
    await rm(this.pathOf(id), { force: true });
    await this.forget(id);
  }

  /** The upload with this ID; undefined if it is missing or incomplete. */
  async describe(id: string): Promise<StoredUpload | undefined> {
    const upload = await this.configstore.get(id);
    if (upload?.size === undefined) return undefined;
    const file = this.pathOf(id);
    const found = await undefinedIfMissing(stat(file));
    if (!found) return undefined;
    return {
      id,
      file,
      offset: found.size,
      size: upload.size,
      createdAt: Date.parse(upload.creation_date ?? ""),
      originalName: upload.metadata?.["filename"] ?? "",
      alt: upload.metadata?.["alt"] ?? "",
      isShared: upload.storage?.type === objectStoreType,
    };
  }

  /** Notes whether all nodes know an upload. */
  async setShared(id: string, isShared: boolean): Promise<void> {
    const upload = await this.configstore.get(id);
    if (!upload) return;
    const storage = isShared ? { type: objectStoreType, path: id } : undefined;
    const text = JSON.stringify({ ...upload, storage });
    await writeFileAtomic(this.#descriptionOf(id), text, { mode: 0o600 });
  }

  /** Forgets an upload; its file stays. */
  async forget(id: string): Promise<void> {
    await rm(this.#descriptionOf(id), { force: true });
  }

  async #names(): Promise<string[]> {
    return (await undefinedIfMissing(readdir(this.directory))) ?? [];
  }

  /** The IDs of all uploads with any files on disk, oldest first. */
  async ids(): Promise<string[]> {
    const ids = (await this.#names())
      .map((name) => name.replace(/\.json$/, ""))
      .filter((id) => ulidPattern.test(id));
    return [...new Set(ids)].toSorted();
  }

  /** Those that have a description, which copies of shared uploads don't have. */
  async describedIds(): Promise<string[]> {
    const names = (await this.#names()).filter((name) => name.endsWith(".json"));
    return names
      .map((name) => name.slice(0, -".json".length))
      .filter((id) => ulidPattern.test(id))
      .toSorted();
  }

  async count(): Promise<number> {
    return (await this.ids()).length;
  }

  async listUnprocessed(): Promise<string[]> {
    const uploads = await Promise.all((await this.ids()).map((id) => this.describe(id)));
    return uploads.flatMap((upload) => (upload?.offset === upload?.size ? (upload?.id ?? []) : []));
  }

  async claim(id: string): Promise<ClaimedUpload | null> {
    const upload = await this.describe(id);
    if (upload === undefined) return null;
    const { signal } = new AbortController();
    return { ...upload, signal, end: () => this.drop(id), release: async () => {} };
  }

  async sweep(now: number, isBusy: (id: string) => boolean): Promise<string[]> {
    const removed: string[] = [];
    for (const id of await this.ids()) {
      const upload = isBusy(id) ? undefined : await this.describe(id);
      if (upload === undefined || upload.createdAt + uploadLifetimeMs >= now) continue;
      await this.drop(id);
      removed.push(id);
    }
    return removed;
  }
}
