import { constants } from "node:fs";
import { type FileHandle, open, realpath } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { FastifyReply, FastifyRequest } from "fastify";
import { requestedRange } from "../../kit/byte-range.ts";
import { AppError } from "../../kit/errors.ts";
import { isUnchanged } from "../../kit/etag.ts";
import type { FileCopies } from "../../platform/storage/file-copies.ts";

/** The types that the pipeline writes and the sample site contains. Others aren't served. */
const types: Record<string, string> = {
  jpg: "image/jpeg",
  webp: "image/webp",
  avif: "image/avif",
  png: "image/png",
  mp4: "video/mp4",
};

const yearPattern = /^\d{4}$/;
const namePattern = /^[a-z0-9][a-z0-9-]{0,99}\.(jpg|webp|avif|png|mp4)$/;

interface Stored {
  handle: FileHandle;
  bytes: number;
  etag: string;
  type: string;
}

/** The type of a file that can have been stored under this address. */
function typeOf(year: string, name: string): string | undefined {
  return yearPattern.test(year) ? types[namePattern.exec(name)?.[1] ?? ""] : undefined;
}

/** Opens a regular file below `root` without following links; undefined for anything else. */
async function openStored(root: string, year: string, name: string): Promise<Stored | undefined> {
  const type = typeOf(year, name);
  if (type === undefined) return undefined;
  const path = join(root, year, name);
  let handle: FileHandle | undefined;
  try {
    if ((await realpath(path)) !== join(await realpath(root), year, name)) return undefined;
    handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const info = await handle.stat();
    if (info.isFile()) {
      const etag = `"${info.size.toString(36)}-${Math.round(info.mtimeMs).toString(36)}"`;
      return { handle, bytes: info.size, etag, type };
    }
  } catch {
    // Missing, not a file, and unreadable are the same for the client.
  }
  await handle?.close();
  return undefined;
}

function rangeOf(request: FastifyRequest, { bytes, etag }: Stored) {
  const { range, "if-range": ifRange } = request.headers;
  if (request.method !== "GET" || (ifRange !== undefined && ifRange !== etag)) return undefined;
  return requestedRange(range, bytes);
}

async function send(request: FastifyRequest, reply: FastifyReply, stored: Stored) {
  const { handle, bytes } = stored;
  const range = rangeOf(request, stored);
  if (range === "unsatisfiable") {
    await handle.close();
    return reply.code(416).header("content-range", `bytes */${bytes}`).send("");
  }
  const { start, end } = range ?? { start: 0, end: bytes - 1 };
  if (range) reply.code(206).header("content-range", `bytes ${start}-${end}/${bytes}`);
  reply.header("content-length", String(end - start + 1));
  if (request.method === "HEAD" || bytes === 0) {
    await handle.close();
    return reply.send();
  }
  return reply.send(handle.createReadStream({ start, end }));
}

export interface StoredFiles {
  /** The folder that contains the folders by year. */
  root: string;
  /** Gets a file that another node has just stored; null if there are no others. */
  copies: Pick<FileCopies, "fetch"> | null;
}

/** Opens a file, also one that this node doesn't have yet. */
async function findStored(
  { root, copies }: StoredFiles,
  year: string,
  name: string,
): Promise<Stored | undefined> {
  const here = await openStored(root, year, name);
  if (here || copies === null || typeOf(year, name) === undefined) return here;
  await copies.fetch([join(root, year, name)]);
  return openStored(root, year, name);
}

/**
 * Sends a stored file or a part of it (RFC 9110, section 14). A file never changes under its name, so it
 * can be cached forever. Throws `not_found`.
 */
export async function sendStoredFile(
  files: StoredFiles,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { year, name } = request.params as { year: string; name: string };
  const stored = await findStored({ ...files, root: resolve(files.root) }, year, name);
  if (!stored) throw new AppError("not_found", "This file doesn't exist.");
  reply.headers({
    "content-type": stored.type,
    "cache-control": "private, max-age=31536000, immutable",
    "accept-ranges": "bytes",
    etag: stored.etag,
  });
  if (isUnchanged(request.headers["if-none-match"], stored.etag)) {
    await stored.handle.close();
    return reply.code(304).send();
  }
  return send(request, reply, stored);
}
