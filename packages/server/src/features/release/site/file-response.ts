import type { ReadStream } from "node:fs";
import type { IncomingHttpHeaders } from "node:http";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { chooseEncoding, type Encoding } from "../../../kit/accept-encoding.ts";
import { type ByteRange, requestedRange } from "../../../kit/byte-range.ts";
import { isUnchanged } from "../../../kit/etag.ts";
import type { SiteFile } from "./live-release.ts";
import type { SiteBodies } from "./site-bodies.ts";
import { pagePolicy } from "./site-policy.ts";

const brotli = promisify(brotliCompress);
const deflate = promisify(gzip);
const compressedFrom = 1024;

/**
 * The parts of a request that determine the site's response. Node's and Fastify's requests both
 * match.
 */
export interface SiteRequest {
  method: string;
  headers: IncomingHttpHeaders;
}

/** A response of the site, for whichever server sends it. */
export interface SiteResponse {
  status: number;
  headers: Record<string, string>;
  /**
   * Null if there is none, even if headers describe one: HEAD and 304. A stream has its file open.
   */
  body: Buffer | ReadStream | string | null;
}

/** The validator of a file in an encoding. */
export function etagOf(file: SiteFile, encoding: Encoding): string {
  const suffix = encoding === "identity" ? "" : `-${encoding}`;
  return `"${file.entry.hash.slice(0, 32)}${suffix}"`;
}

/** The range to send; If-Range may require the whole file instead. */
function wantedRange(
  { method, headers }: SiteRequest,
  file: SiteFile,
): ByteRange | "unsatisfiable" | undefined {
  const { range, "if-range": ifRange } = headers;
  if (method !== "GET" || range === undefined) return undefined;
  if (ifRange !== undefined && ifRange !== etagOf(file, "identity")) return undefined;
  return requestedRange(range, file.entry.bytes);
}

async function partResponse(
  bodies: SiteBodies,
  file: SiteFile,
  range: ByteRange | "unsatisfiable",
): Promise<SiteResponse> {
  const { bytes } = file.entry;
  if (range === "unsatisfiable") {
    return { status: 416, headers: { "content-range": `bytes */${bytes}` }, body: "" };
  }
  const { start, end } = range;
  const headers = {
    etag: etagOf(file, "identity"),
    "content-range": `bytes ${start}-${end}/${bytes}`,
    "content-length": String(end - start + 1),
  };
  return { status: 206, headers, body: await bodies.part(file, start, end) };
}

function bodyHeaders(bodies: SiteBodies, file: SiteFile, encoding: Encoding) {
  return {
    ...(encoding === "identity" ? {} : { "content-encoding": encoding }),
    "content-length": String(bodies.size(file, encoding)),
  };
}

/** The headers of a whole file, with `headers` over its own. */
export function wholeHeaders(
  bodies: SiteBodies,
  file: SiteFile,
  encoding: Encoding,
  headers: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const etag = etagOf(file, encoding);
  return { ...file.headers, ...headers, etag, ...bodyHeaders(bodies, file, encoding) };
}

/** The headers of a file that the client has already. */
export function unchangedHeaders(
  file: SiteFile,
  encoding: Encoding,
  headers: Readonly<Record<string, string>> = {},
): Record<string, string> {
  return { ...file.headers, ...headers, etag: etagOf(file, encoding) };
}

/** The headers of the page for what is not there. */
export function missingPageHeaders(
  bodies: SiteBodies,
  page: SiteFile,
  encoding: Encoding,
): Record<string, string> {
  const { "accept-ranges": _ranges, ...headers } = page.headers;
  return { ...headers, ...bodyHeaders(bodies, page, encoding) };
}

/** A file or the requested part of it, with `headers` in addition to its own. */
export async function fileResponse(
  bodies: SiteBodies,
  request: SiteRequest,
  file: SiteFile,
  headers: Readonly<Record<string, string>> = {},
): Promise<SiteResponse> {
  const range = wantedRange(request, file);
  if (range !== undefined) {
    const part = await partResponse(bodies, file, range);
    return { ...part, headers: { ...file.headers, ...headers, ...part.headers } };
  }
  const encoding = chooseEncoding(request.headers["accept-encoding"], file.encodings);
  if (isUnchanged(request.headers["if-none-match"], etagOf(file, encoding))) {
    return { status: 304, headers: unchangedHeaders(file, encoding, headers), body: null };
  }
  return {
    status: 200,
    headers: wholeHeaders(bodies, file, encoding, headers),
    body: request.method === "HEAD" ? null : await bodies.whole(file, encoding),
  };
}

/** The 404 page in the requested coding. */
export async function missingPageResponse(
  bodies: SiteBodies,
  request: SiteRequest,
  page: SiteFile,
): Promise<SiteResponse> {
  const encoding = chooseEncoding(request.headers["accept-encoding"], page.encodings);
  return {
    status: 404,
    headers: missingPageHeaders(bodies, page, encoding),
    body: request.method === "HEAD" ? null : await bodies.whole(page, encoding),
  };
}

async function compress(
  html: string,
  accepted: string | undefined,
): Promise<{ body: Buffer; encoding: Encoding }> {
  const body = Buffer.from(html);
  const available: Encoding[] = body.length >= compressedFrom ? ["br", "gzip"] : [];
  const encoding = chooseEncoding(accepted, available);
  if (encoding === "br") {
    const params = { [constants.BROTLI_PARAM_QUALITY]: 4 };
    return { body: await brotli(body, { params }), encoding };
  }
  return { body: encoding === "gzip" ? await deflate(body) : body, encoding };
}

/** A page made for this visitor only. */
export async function decoratedResponse(
  { method, headers }: SiteRequest,
  file: SiteFile,
  html: string,
): Promise<SiteResponse> {
  const { body, encoding } = await compress(html, headers["accept-encoding"]);
  return {
    status: 200,
    headers: {
      "content-type": file.entry.type,
      "cache-control": "private, no-store",
      vary: "Cookie, Accept-Encoding",
      "content-security-policy": pagePolicy(file.entry.scripts ?? []),
      "content-length": String(body.length),
      ...(encoding === "identity" ? {} : { "content-encoding": encoding }),
    },
    body: method === "HEAD" ? null : body,
  };
}
