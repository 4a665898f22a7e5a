import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as delay } from "node:timers/promises";
import type { Dispatcher } from "undici";
import Agent from "undici/lib/dispatcher/agent.js";
import { AppError } from "../../kit/errors.ts";
import { request } from "../http-request.ts";
import type { StorageSettings } from "./storage-url.ts";
import { errorCodeOf, objectUrl, type S3Request, signRequest } from "./s3-request.ts";

/** A file to upload: its size in bytes and the SHA-256 of its bytes in hex. */
export interface ObjectSource {
  path: string;
  hash: string;
  bytes: number;
  /** Where the bytes begin in the file, if they aren't the whole file; only for uploads. */
  start?: number;
  /** Ends the transfer, which then throws. */
  signal?: AbortSignal | undefined;
}

/**
 * A bucket of an object store. Objects are written once under keys that nobody else uses, so nothing
 * depends on conditional writes. Throws `unavailable` if the store can't be reached or refuses, after a
 * few attempts.
 */
export interface ObjectStore {
  /** Uploads a file; durable once this resolves. */
  put(key: string, source: ObjectSource): Promise<void>;
  /**
   * Downloads an object to `path`, which appears complete or not at all; it isn't synced to disk. False
   * if there is no such object. Throws `unavailable` if its bytes aren't those of `hash`.
   */
  get(key: string, wanted: ObjectSource): Promise<boolean>;
  /** Removes an object; a missing one is fine. */
  remove(key: string, signal?: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

export interface ObjectStoreDependencies {
  /** Pauses between attempts, in ms; for tests. */
  pause?: (ms: number) => Promise<unknown>;
  random?: () => number;
}

const maxAttempts = 5;
const firstPauseMs = 200;
const timeoutMs = { connect: 10_000, headers: 60_000, body: 60_000 };
const maxErrorBytes = 64 * 1024;
const emptyHash = createHash("sha256").digest("hex");

/** An answer that may be another one the next time. */
const passing = new Set([408, 425, 429, 500, 502, 503, 504]);

class PassingFailure extends Error {}

function refused(status: number, text: string): AppError {
  const code = errorCodeOf(text) ?? `status ${status}`;
  const isAboutKey = status === 401 || status === 403;
  const hint = isAboutKey ? " Check the access key and its permissions." : "";
  return new AppError("unavailable", `The object store refused the request (${code}).${hint}`);
}

async function readError(body: Dispatcher.ResponseData["body"]): Promise<string> {
  let text = "";
  for await (const chunk of body as AsyncIterable<Buffer>) {
    if (text.length < maxErrorBytes) text += chunk.toString("latin1");
  }
  return text;
}

/** Passes bytes on and fails at the end unless they are those of the hash. */
function verify({ hash, bytes }: ObjectSource): Transform {
  const seen = createHash("sha256");
  let length = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      seen.update(chunk);
      length += chunk.length;
      done(length > bytes ? new PassingFailure("too many bytes") : null, chunk);
    },
    flush(done) {
      const isSame = length === bytes && seen.digest("hex") === hash;
      done(isSame ? null : new PassingFailure("other bytes than were stored"));
    },
  });
}

/** The name of a file while it is downloaded, with the process that does so. */
const download = /\.(\d+)-[a-z0-9]+\.part$/;

/** Whether a file is one that a process was downloading when it was killed. */
export function isDeadDownload(path: string): boolean {
  const pid = download.exec(path)?.[1];
  if (pid === undefined) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}

/** Writes the body to `path`, completely or not at all. */
async function save(body: Dispatcher.ResponseData["body"], wanted: ObjectSource): Promise<void> {
  const { path } = wanted;
  const temporary = `${path}.${process.pid}-${Math.random().toString(36).slice(2)}.part`;
  try {
    await pipeline(body, verify(wanted), createWriteStream(temporary, { flags: "wx" }));
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

type Response = Dispatcher.ResponseData;

/** Hands a success to `use`; null if there is no such object. Throws for everything else. */
async function read<T>(response: Response, use: (response: Response) => Promise<T>) {
  const { statusCode: status } = response;
  if (status >= 200 && status < 300) return use(response);
  const text = await readError(response.body);
  if (status === 404 && errorCodeOf(text) !== "NoSuchBucket") return null;
  if (!passing.has(status)) throw refused(status, text);
  throw new PassingFailure(errorCodeOf(text) ?? `status ${status}`);
}

/** Tries until it succeeds or fails for a reason that won't pass. */
async function persist<T>(
  work: () => Promise<T>,
  { pause = delay, random = Math.random }: ObjectStoreDependencies,
  signal?: AbortSignal,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      signal?.throwIfAborted();
      return await work();
    } catch (error) {
      // A file or disk of this machine that fails does so again.
      const isLocal = (error as NodeJS.ErrnoException).path !== undefined;
      if (error instanceof AppError || isLocal || signal?.aborted) throw error;
      if (attempt >= maxAttempts) {
        const text = `The object store can't be used (${(error as Error).message}).`;
        throw new AppError("unavailable", text, { cause: error });
      }
    }
    await pause(firstPauseMs * 2 ** (attempt - 1) * (0.5 + random()));
  }
}

function readSource({ path, bytes, start = 0 }: ObjectSource) {
  // An empty range can't be expressed.
  return createReadStream(path, bytes > 0 ? { start, end: start + bytes - 1 } : {});
}

/** Opens the bucket of these settings by the API of Amazon S3. The caller closes it. */
export function openObjectStore(
  settings: StorageSettings,
  deps: ObjectStoreDependencies = {},
): ObjectStore {
  const dispatcher = new Agent({
    connect: { timeout: timeoutMs.connect },
    headersTimeout: timeoutMs.headers,
    bodyTimeout: timeoutMs.body,
    connections: 16,
  });

  async function send(
    method: S3Request["method"],
    key: string,
    source: ObjectSource | null,
    signal = source?.signal,
  ) {
    const url = objectUrl(settings, key);
    const headers = { "x-amz-content-sha256": source?.hash ?? emptyHash };
    const signed = await signRequest({ method, url, headers }, settings, settings);
    const length = source && { "content-length": String(source.bytes) };
    return request(signed.url, {
      method,
      headers: { "user-agent": "Vitrine", ...signed.headers, ...length },
      body: source && readSource(source),
      dispatcher,
      ...(signal && { signal }),
    });
  }

  const finish = async ({ body }: Response) => {
    await body.dump();
    return true;
  };

  return {
    async put(key, source) {
      const put = async () => read(await send("PUT", key, source), finish);
      const done = await persist(put, deps, source.signal);
      if (done === null) throw new AppError("unavailable", "The object store has no such bucket.");
    },
    async get(key, wanted) {
      const keep = async ({ body }: Response) => {
        await save(body, wanted);
        return true;
      };
      const get = async () => read(await send("GET", key, null, wanted.signal), keep);
      const done = await persist(get, deps, wanted.signal);
      return done ?? false;
    },
    async remove(key, signal) {
      const remove = async () => read(await send("DELETE", key, null, signal), finish);
      await persist(remove, deps, signal);
    },
    close: () => dispatcher.close(),
  };
}
