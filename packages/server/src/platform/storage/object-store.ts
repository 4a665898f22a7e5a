import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import type { Dispatcher } from "undici";
import Agent from "undici/lib/dispatcher/agent.js";
import { AppError } from "../../kit/errors.ts";
import { sha256Hex } from "../../kit/hash.ts";
import { request } from "../http-request.ts";
import { PassingFailure, readBytes, saveBody } from "./response-body.ts";
import type { StorageSettings } from "./storage-url.ts";
import {
  errorCodeOf,
  listUrl,
  objectUrl,
  parseKeyList,
  type S3Request,
  signRequest,
} from "./s3-request.ts";

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
  /** Uploads bytes of memory; durable once this resolves. */
  putBytes(key: string, bytes: Uint8Array, signal?: AbortSignal): Promise<void>;
  /**
   * Downloads an object of at most `maxBytes` into memory; null if there is no such object. Whether its
   * bytes are those that were stored is up to the caller. Throws `too_large`.
   */
  getBytes(
    key: string,
    options: { maxBytes: number; signal?: AbortSignal },
  ): Promise<Buffer | null>;
  /**
   * The keys that begin with `prefix`, in order. Only for when nothing else knows them: listing is slow,
   * and some keys may not list. Throws `too_large` beyond 10,000.
   */
  list(prefix: string, signal?: AbortSignal): Promise<string[]>;
  /** Removes an object; a missing one is fine. */
  remove(key: string, signal?: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

export interface ObjectStoreDependencies {
  /** Pauses between attempts, in ms; for tests. */
  pause?: (ms: number) => Promise<unknown>;
  random?: () => number;
  /** How long an answer may take after the last progress of an upload, in ms; for tests. */
  headersTimeoutMs?: number;
}

const maxAttempts = 5;
const firstPauseMs = 200;
const timeoutMs = { connect: 10_000, headers: 60_000, body: 60_000 };
const sliceBytes = 64 * 1024;
const maxErrorBytes = 64 * 1024;
const maxListedKeys = 10_000;
/** A page of 1,000 keys, each with what the store says of it. */
const maxListBytes = 8 * 2 ** 20;
const emptyHash = createHash("sha256").digest("hex");

/** An answer that may be another one the next time. */
const passing = new Set([408, 425, 429, 500, 502, 503, 504]);

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

/** What a request sends. */
interface Upload {
  hash: string;
  bytes: number;
  /** Opens it; again for each attempt. */
  open(): Readable;
}

function* slices(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += sliceBytes) yield bytes.subarray(at, at + sliceBytes);
}

/** In slices: while a stream makes progress, nothing ends a slow upload. Bytes at once have one timeout. */
function uploadOfBytes(bytes: Uint8Array): Upload {
  const open = () => Readable.from(slices(bytes));
  return { hash: sha256Hex(bytes), bytes: bytes.length, open };
}

function uploadOf({ path, hash, bytes, start = 0 }: ObjectSource): Upload {
  // An empty range can't be expressed.
  const range = bytes > 0 ? { start, end: start + bytes - 1 } : {};
  return { hash, bytes, open: () => createReadStream(path, range) };
}

const finish = async ({ body }: Response) => {
  await body.dump();
  return true;
};

type Attempt = { upload?: Upload; signal?: AbortSignal | undefined };

/** Sends requests until they succeed or fail for a reason that won't pass; null if there is no such object. */
function makeSender(
  settings: StorageSettings,
  deps: ObjectStoreDependencies,
  dispatcher: Dispatcher,
) {
  async function send(method: S3Request["method"], url: string, { upload, signal }: Attempt) {
    const headers = { "x-amz-content-sha256": upload?.hash ?? emptyHash };
    const signed = await signRequest({ method, url, headers }, settings, settings);
    const length = upload && { "content-length": String(upload.bytes) };
    return request(signed.url, {
      method,
      headers: { "user-agent": "Vitrine", ...signed.headers, ...length },
      body: upload?.open() ?? null,
      dispatcher,
      ...(signal && { signal }),
    });
  }

  return <T>(
    method: S3Request["method"],
    url: string,
    { use, ...attempt }: Attempt & { use(response: Response): Promise<T> },
  ): Promise<T | null> =>
    persist(async () => read(await send(method, url, attempt), use), deps, attempt.signal);
}

/** Opens the bucket of these settings by the API of Amazon S3. The caller closes it. */
export function openObjectStore(
  settings: StorageSettings,
  deps: ObjectStoreDependencies = {},
): ObjectStore {
  const dispatcher = new Agent({
    connect: { timeout: timeoutMs.connect },
    headersTimeout: deps.headersTimeoutMs ?? timeoutMs.headers,
    bodyTimeout: timeoutMs.body,
    connections: 16,
  });
  const send = makeSender(settings, deps, dispatcher);
  const urlOf = (key: string) => objectUrl(settings, key);

  async function put(key: string, upload: Upload, signal?: AbortSignal): Promise<void> {
    const done = await send("PUT", urlOf(key), { upload, signal, use: finish });
    if (done === null) throw new AppError("unavailable", "The object store has no such bucket.");
  }

  async function listPage(prefix: string, after: string | undefined, signal?: AbortSignal) {
    const use = async ({ body }: Response) =>
      parseKeyList((await readBytes(body, maxListBytes)).toString(), settings);
    const page = await send("GET", listUrl(settings, prefix, after), { signal, use });
    if (page === null) throw new AppError("unavailable", "The object store can't list keys.");
    return page;
  }

  return {
    put: (key, source) => put(key, uploadOf(source), source.signal),
    putBytes(key, bytes, signal) {
      return put(key, uploadOfBytes(bytes), signal);
    },
    async get(key, wanted) {
      const use = async ({ body }: Response) => {
        await saveBody(body, wanted);
        return true;
      };
      return (await send("GET", urlOf(key), { signal: wanted.signal, use })) ?? false;
    },
    getBytes(key, { maxBytes, signal }) {
      const use = ({ body }: Response) => readBytes(body, maxBytes);
      return send("GET", urlOf(key), { signal, use });
    },
    async list(prefix, signal) {
      const keys: string[] = [];
      for (let isMore = true; isMore;) {
        const page = await listPage(prefix, keys.at(-1), signal);
        keys.push(...page.keys);
        if (keys.length > maxListedKeys)
          throw new AppError("too_large", `The object store has too many keys below ${prefix}.`);
        isMore = page.isTruncated && page.keys.length > 0;
      }
      return keys;
    },
    async remove(key, signal) {
      await send("DELETE", urlOf(key), { signal, use: finish });
    },
    close: () => dispatcher.close(),
  };
}
