import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";
import { chooseEncoding, type Encoding } from "../../../kit/accept-encoding.ts";
import { type ByteRange, requestedRange } from "../../../kit/byte-range.ts";
import { isUnchanged } from "../../../kit/etag.ts";
import type { SiteFile } from "./live-release.ts";
import type { SiteBodies } from "./site-bodies.ts";
import { pagePolicy } from "./site-policy.ts";

const brotli = promisify(brotliCompress);
const deflate = promisify(gzip);
const compressedFrom = 1024;

/** A request that is answered with files of a site. */
export interface Exchange {
  bodies: SiteBodies;
  request: FastifyRequest;
  reply: FastifyReply;
}

function etagOf(file: SiteFile, encoding: Encoding): string {
  const suffix = encoding === "identity" ? "" : `-${encoding}`;
  return `"${file.entry.hash.slice(0, 32)}${suffix}"`;
}

/** The range to answer with; If-Range may ask for the whole file instead. */
function wantedRange(
  request: FastifyRequest,
  file: SiteFile,
): ByteRange | "unsatisfiable" | undefined {
  const { range, "if-range": ifRange } = request.headers;
  if (request.method !== "GET") return undefined;
  if (ifRange !== undefined && ifRange !== etagOf(file, "identity")) return undefined;
  return requestedRange(range, file.entry.bytes);
}

async function sendPart(
  { bodies, reply }: Exchange,
  file: SiteFile,
  range: ByteRange | "unsatisfiable",
): Promise<FastifyReply> {
  const { bytes } = file.entry;
  if (range === "unsatisfiable") {
    return reply
      .code(416)
      .headers({ "content-range": `bytes */${bytes}` })
      .send("");
  }
  const { start, end } = range;
  const body = await bodies.part(file, start, end);
  return reply
    .code(206)
    .headers({
      etag: etagOf(file, "identity"),
      "content-range": `bytes ${start}-${end}/${bytes}`,
      "content-length": String(end - start + 1),
    })
    .send(body);
}

async function sendWhole(
  { bodies, request, reply }: Exchange,
  file: SiteFile,
  encoding: Encoding,
): Promise<FastifyReply> {
  if (encoding !== "identity") reply.header("content-encoding", encoding);
  reply.header("content-length", String(bodies.size(file, encoding)));
  if (request.method === "HEAD") return reply.send();
  return reply.send(await bodies.whole(file, encoding));
}

/** Answers with a file, or the part of it that was asked for, with `headers` over its own. */
export async function sendFile(
  exchange: Exchange,
  file: SiteFile,
  headers: Readonly<Record<string, string>> = {},
): Promise<FastifyReply> {
  const { request, reply } = exchange;
  reply.headers({ ...file.headers, ...headers });
  const range = wantedRange(request, file);
  if (range !== undefined) return sendPart(exchange, file, range);
  const encoding = chooseEncoding(request.headers["accept-encoding"], file.encodings);
  const etag = etagOf(file, encoding);
  reply.header("etag", etag);
  if (isUnchanged(request.headers["if-none-match"], etag)) return reply.code(304).send();
  return sendWhole(exchange, file, encoding);
}

/** Answers with the page for what is not there, in the coding asked for, whatever else is asked. */
export async function sendMissingPage(exchange: Exchange, page: SiteFile): Promise<FastifyReply> {
  const { request, reply } = exchange;
  reply.code(404).headers(page.headers).removeHeader("accept-ranges");
  const encoding = chooseEncoding(request.headers["accept-encoding"], page.encodings);
  return sendWhole(exchange, page, encoding);
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

/** Answers with a page that was made for this visitor alone, with the status set before. */
export async function sendDecorated(
  { request, reply }: Exchange,
  file: SiteFile,
  html: string,
): Promise<FastifyReply> {
  const { body, encoding } = await compress(html, request.headers["accept-encoding"]);
  reply.headers({
    "content-type": file.entry.type,
    "cache-control": "private, no-store",
    vary: "Cookie, Accept-Encoding",
    "content-security-policy": pagePolicy(file.entry.scripts ?? []),
    "content-length": String(body.length),
  });
  if (encoding !== "identity") reply.header("content-encoding", encoding);
  return request.method === "HEAD" ? reply.send() : reply.send(body);
}
