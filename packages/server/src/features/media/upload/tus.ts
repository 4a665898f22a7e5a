import { mkdirSync } from "node:fs";
import { mkdir, statfs } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { Server, type Upload } from "@tus/server";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Clock } from "../../../kit/clock.ts";
import { failure } from "../../../kit/failure.ts";
import { AppError, type ErrorCode, isDiskFull, toAppError } from "../../../kit/errors.ts";
import { newUlid, ulidPattern } from "../../../kit/ulid.ts";
import type { Log } from "../../../platform/log.ts";
import type { InstancePaths } from "../../../platform/paths.ts";
import type { UploadQueue } from "./upload-queue.ts";
import type { Jobs } from "./jobs.ts";
import { emptyFile, type UploadLimits } from "./inspection.ts";
import { sanitizeOriginalName } from "../library/names.ts";
import { maxBytesFor } from "../media-size.ts";
import { altText } from "../schema.ts";
import { makeUploadLocker } from "./tus-lock.ts";
import { makeProcessing, type Processing } from "./tus-processing.ts";
import { SharedUploads, type SharedUploadsOptions } from "./shared-uploads.ts";
import { type ResumableStore, UploadStore } from "./tus-store.ts";
import { makeFolderTasks, makeSharedTasks, sweep } from "./upload-tasks.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { Job } from "../schema.ts";
import { type DiskQuota, unlimitedDisk } from "../../../platform/disk-quota.ts";

export const uploadsPath = "/api/media/uploads";

/** Maximum number of open uploads. */
const maxUploads = 100;
const defaultRetryMs = 30_000;

export interface TusOptions {
  db: Db;
  /** How other nodes can continue uploads; null or none if the instance is on one disk. */
  shared?: SharedUploadsOptions | null | undefined;
  paths: Pick<InstancePaths, "uploads">;
  limits: UploadLimits;
  clock: Clock;
  log: Log;
  jobs: Jobs;
  uploadQueue: UploadQueue;
  /** How much disk space uploads may use; without, as much as there is. */
  quota?: DiskQuota;
}

/** Resumable uploads: tus 1.0 with creation, creation-with-upload, termination, expiration. */
export interface Tus {
  /** Handles an authorized request. */
  handle(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>;
  /**
   * At startup: processes complete uploads, keeps resumable ones, and removes the rest. What needs the
   * object store is done in the background.
   */
  restore(): Promise<void>;
  /** Ends a complete upload's processing, and removes its files; false if it isn't being processed. */
  cancel(id: string): Promise<boolean>;
  /** The state of any upload, also of one that another node has received. */
  findJob(id: string): Promise<Job | undefined>;
  /** The same for all of them, newest first. */
  listJobs(): Promise<Job[]>;
  /** Removes expired uploads. */
  sweep(): Promise<void>;
  close(): Promise<void>;
}

const forwardedHeaders = [
  "content-type",
  "content-length",
  "tus-resumable",
  "upload-length",
  "upload-defer-length",
  "upload-offset",
  "upload-metadata",
  "upload-concat",
];

/** The body as a stream that can be cancelled without closing the response's connection. */
function bodyOf({ raw }: FastifyRequest): ReadableStream {
  const body = new PassThrough();
  const cutOff = () => {
    // Data that has arrived but wasn't read yet is lost with the connection.
    if (!raw.readableEnded) body.destroy(new Error("the upload was cut off"));
  };
  raw.once("error", cutOff).once("close", cutOff);
  body.on("error", () => {});
  raw.pipe(body);
  const stream = Readable.toWeb(body) as unknown as ReadableStream;
  // A connection that ended before listeners were attached emits no more events.
  if (raw.destroyed) cutOff();
  return stream;
}

/** The request for the tus server, with only the headers that it needs. */
function webRequest(request: FastifyRequest): Request {
  const headers = new Headers();
  for (const name of forwardedHeaders) {
    const value = request.headers[name];
    if (typeof value === "string") headers.set(name, value);
  }
  const takesBody = request.method === "PATCH" || request.method === "POST";
  const init = { method: request.method, headers };
  const url = new URL(request.url, "http://localhost");
  return new Request(url, takesBody ? { ...init, body: bodyOf(request), duplex: "half" } : init);
}

/** The metadata of a new upload; throws `bad_request` or `validation_failed`. */
function checkedMetadata({ metadata = {} }: Upload): Record<string, string> {
  for (const key of Object.keys(metadata)) {
    if (key === "filename" || key === "alt" || key === "filetype") continue;
    const message = `The upload's metadata has an unknown key: ${key.slice(0, 100)}.`;
    throw new AppError("bad_request", message, { fields: { [key.slice(0, 100)]: message } });
  }
  const alt = altText.safeParse(metadata["alt"] ?? "");
  if (!alt.success) {
    const fields = { alt: alt.error.issues[0]?.message ?? "" };
    throw new AppError("validation_failed", "Check the following: alt.", { fields });
  }
  return { filename: sanitizeOriginalName(metadata["filename"] ?? ""), alt: alt.data };
}

/** Our errors are passed on to the shared error handler; tus's own keep their status. */
function responseError(_request: unknown, error: unknown) {
  if (error instanceof AppError || isDiskFull(error)) throw toAppError(error);
  const { status_code: status } = error as { status_code?: number };
  if (status === 413) throw new AppError("too_large", "The upload is too large.");
  if (status === undefined) throw error;
  return undefined;
}

interface TusDependencies extends TusOptions {
  store: ResumableStore;
  processing: Processing;
}

async function assertRoom(store: ResumableStore, size: number): Promise<void> {
  if ((await store.count()) >= maxUploads) {
    const message = `There are ${maxUploads} unfinished uploads. Cancel some, or wait until they expire.`;
    throw new AppError("unavailable", message, { headers: { "retry-after": "60" } });
  }
  await mkdir(store.directory, { recursive: true, mode: 0o700 });
  const { bavail, bsize } = await statfs(store.directory);
  if (bavail * bsize < size)
    throw new AppError("disk_full", "There isn't enough disk space for this file.");
}

function makeServer({ store, processing, limits, clock, quota }: TusDependencies): Server {
  return new Server({
    path: uploadsPath,
    datastore: store,
    locker: makeUploadLocker(),
    lockDrainTimeout: 500,
    relativeLocation: true,
    allowedOrigins: [],
    maxSize: maxBytesFor(limits, null),
    namingFunction: () => newUlid(clock.now()),
    getFileIdFromRequest: (_request, id) => (ulidPattern.test(id ?? "") ? id : undefined),
    async onUploadCreate(_request, upload) {
      const { size = 0 } = upload;
      if (size === 0) throw emptyFile();
      const metadata = checkedMetadata(upload);
      await assertRoom(store, size);
      await quota?.assertRoom(size, upload.id);
      return { metadata };
    },
    async onIncomingRequest({ method }, id) {
      // An upload may continue long after what it was promised has been used by others.
      if (method !== "PATCH" || quota === undefined || quota === unlimitedDisk) return;
      const { size = 0, offset } = await store.getUpload(id);
      await quota.assertRoom(size - offset, id);
    },
    async onUploadFinish(_request, { id }) {
      processing.start(id);
      return {};
    },
    onResponseError: responseError,
  });
}

const codes: Readonly<Record<number, ErrorCode>> = {
  403: "forbidden",
  404: "not_found",
  409: "conflict",
  410: "not_found",
  415: "unsupported_media_type",
  423: "locked",
};

/**
 * Errors of the tus server keep their status, which clients depend on, with our envelope instead of
 * a text.
 */
async function bodyOfResponse(response: Response): Promise<string | undefined> {
  const text = await response.text();
  if (response.ok || text === "") return text || undefined;
  return JSON.stringify(
    failure(new AppError(codes[response.status] ?? "bad_request", text.trim())),
  );
}

/** Cancels what is processed here, or on another node. */
async function cancelComplete(
  { processing }: TusDependencies,
  shared: SharedUploads | null,
  id: string,
): Promise<boolean> {
  const wasProcessed = await processing.cancel(id);
  // Processing may have ended without the upload, and another node may have begun.
  const wasDropped = (await shared?.dropComplete(id)) ?? false;
  return wasProcessed || wasDropped;
}

async function handleRequest(
  { jobs }: TusDependencies,
  { server, cancel }: { server: Server; cancel: Tus["cancel"] },
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { id } = request.params as { id?: string };
  const ends = request.method === "DELETE" ? id : undefined;
  if (ends !== undefined && (await cancel(ends))) return reply.code(204).send();
  const response = await server.handleWeb(webRequest(request));
  if (ends !== undefined && response.ok) jobs.delete(ends);
  for (const [name, value] of response.headers) {
    const isOurs = name.startsWith("access-control-") || name === "content-length";
    // An empty response has no content type.
    if (!isOurs && !(response.ok && name === "content-type")) reply.header(name, value);
  }
  const body = await bodyOfResponse(response);
  if (!response.ok && body !== undefined) reply.type("application/json; charset=utf-8");
  return reply.code(response.status).send(body);
}

type JobReaders = Pick<Tus, "findJob" | "listJobs">;

/** The jobs of this process, and those that only the database knows. */
function makeJobReaders({ jobs, processing }: TusDependencies, shared: SharedUploads): JobReaders {
  const own = (id: string) => (processing.has(id) ? jobs.find(id) : undefined);
  return {
    async findJob(id) {
      return own(id) ?? (await shared.findJob(id)) ?? jobs.find(id);
    },
    async listJobs() {
      const known = await shared.listJobs();
      const ids = new Set(known.map(({ id }) => id));
      const forms = jobs.list().filter(({ id }) => !ids.has(id));
      return [...forms, ...known.map((job) => own(job.id) ?? job)];
    },
  };
}

/**
 * The resumable uploads of one server: in `uploads/tus`, or, with other nodes, in the object store, with
 * copies there.
 */
export function makeTus(options: TusOptions): Tus {
  const { paths, limits, log, jobs, uploadQueue, shared: sharing } = options;
  const directory = join(paths.uploads, "tus");
  // The package would make it readable for others.
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const folder = new UploadStore({
    directory,
    limits,
    onCreated: (id) => jobs.start(id),
    onReceived: (id, fraction) => jobs.received(id, fraction),
    onRefused: (id, error) => jobs.failed(id, error),
    completedBytes: (id) => jobs.find(id)?.media?.originalBytes,
  });
  const shared = sharing ? new SharedUploads({ ...options, ...sharing, directory }) : null;
  const store: ResumableStore = shared ?? folder;
  const { retryMs = defaultRetryMs } = sharing ?? {};
  const parts = { folder: paths.uploads, uploadQueue, jobs, log, store, retryMs };
  const processing = makeProcessing(parts);
  const deps = { ...options, store, processing };
  const tasks = shared
    ? makeSharedTasks(deps, { folder, shared, retryMs })
    : makeFolderTasks(deps, folder);
  const cancel = (id: string) => cancelComplete(deps, shared, id);
  const handling = { server: makeServer(deps), cancel };
  const inMemory: JobReaders = {
    findJob: async (id) => jobs.find(id),
    listJobs: async () => jobs.list(),
  };
  return {
    handle: (request, reply) => handleRequest(deps, handling, request, reply),
    ...(shared ? makeJobReaders(deps, shared) : inMemory),
    cancel,
    sweep: () => sweep(deps),
    restore: () => tasks.start(),
    async close() {
      await tasks.close();
      await processing.close();
    },
  };
}
