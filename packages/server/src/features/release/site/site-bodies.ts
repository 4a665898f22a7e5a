import { type ReadStream, createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { LRUCache } from "lru-cache";
import type { Encoding } from "../../../kit/accept-encoding.ts";
import type { SiteFile } from "./live-release.ts";

const suffixes: Record<Encoding, string> = { br: ".br", gzip: ".gz", identity: "" };
const maxCachedBytes = 512 * 1024;

/** The bytes of a site's files: small ones from memory, large ones as streams. */
export interface SiteBodies {
  /** The size of a file in an encoding, in bytes. */
  size(file: SiteFile, encoding: Encoding): number;
  /** What a whole body is kept under, for `peek`. */
  keyOf(file: SiteFile, encoding: Encoding): string;
  /** The whole body if it is in memory. */
  peek(key: string): Buffer | undefined;
  /** The whole body. A stream has its file open. */
  whole(file: SiteFile, encoding: Encoding): Promise<Buffer | ReadStream>;
  /** The bytes from `start` to `end`, both inclusive, of the uncompressed file. */
  part(file: SiteFile, start: number, end: number): Promise<Buffer | ReadStream>;
}

async function openStream(
  path: string,
  range?: { start: number; end: number },
): Promise<ReadStream> {
  const { promise, resolve, reject } = Promise.withResolvers<ReadStream>();
  const stream = createReadStream(path, range);
  stream.once("open", () => resolve(stream));
  stream.once("error", reject);
  return promise;
}

/**
 * `maxBytes` limits what is kept in memory. Contents are identified by hash, so a new release keeps
 * those it shares.
 */
export function makeSiteBodies(maxBytes = 64 * 1024 * 1024): SiteBodies {
  const cache = new LRUCache<string, Buffer>({
    maxSize: maxBytes,
    sizeCalculation: (body) => body.length + 256,
  });
  const size = ({ entry }: SiteFile, encoding: Encoding): number =>
    encoding === "identity"
      ? entry.bytes
      : (entry.encodings[encoding]?.bytes ?? Number.POSITIVE_INFINITY);
  const keyOf = ({ entry }: SiteFile, encoding: Encoding) => entry.hash + suffixes[encoding];
  const cached = async (file: SiteFile, encoding: Encoding): Promise<Buffer> => {
    const key = keyOf(file, encoding);
    const found = cache.get(key);
    if (found !== undefined) return found;
    const body = await readFile(file.path + suffixes[encoding]);
    cache.set(key, body);
    return body;
  };
  return {
    size,
    keyOf,
    peek: (key) => cache.get(key),
    whole: async (file, encoding) =>
      size(file, encoding) <= maxCachedBytes
        ? cached(file, encoding)
        : openStream(file.path + suffixes[encoding]),
    part: async (file, start, end) =>
      size(file, "identity") <= maxCachedBytes
        ? (await cached(file, "identity")).subarray(start, end + 1)
        : openStream(file.path, { start, end }),
  };
}
