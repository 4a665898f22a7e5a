import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";
import { chooseEncoding, type Encoding } from "../../kit/accept-encoding.ts";
import { type ByteRange, requestedRange } from "../../kit/byte-range.ts";
import { isUnchanged } from "../../kit/etag.ts";
import { isReservedPath } from "../../platform/http/methods.ts";
import type { AppServer } from "../../platform/http/server.ts";
import type { Log } from "../../platform/log.ts";
import type { InstancePaths } from "../../platform/paths.ts";
import { type LiveRelease, makeLiveReleases, type SiteFile } from "./site/live-release.ts";
import { makeSiteBodies, type SiteBodies } from "./site/site-bodies.ts";
import { pagePolicy } from "./site/site-policy.ts";
import { insertTags } from "./source-tags/insert.ts";
import { readPageTags } from "./source-tags/tag-file.ts";

/**
 * Makes of a page what only this visitor gets, within the page's own policy; null leaves it as it is.
 * Called for pages only, and only when the request carries a cookie. `page` gives the page with
 * `data-source` on its elements, which is for nobody but the admin.
 */
export type Decorate = (
  request: FastifyRequest,
  page: () => Promise<string>,
) => Promise<string | null>;

export interface SiteOptions {
  paths: Pick<InstancePaths, "current" | "releases">;
  log: Log;
  decorate?: Decorate;
}

interface Answering extends SiteOptions {
  bodies: SiteBodies;
}

const brotli = promisify(brotliCompress);
const deflate = promisify(gzip);
const compressedFrom = 1024;

/** The decoded path of a request; undefined when it can't be one of a file. */
function requestedPath(url: string): string | undefined {
  const raw = url.split("?", 1)[0] ?? "/";
  if (!raw.includes("%")) return raw;
  try {
    return decodeURIComponent(raw);
  } catch {
    return undefined;
  }
}

interface Moved {
  to: string;
  /** 301 for an address that was left, 308 for another way to write one. */
  code: 301 | 308;
}

/** The page that a request for `path` is for, as its address is written: with a slash at the end. */
function pageAddress(path: string): string {
  if (path.endsWith("/")) return path;
  return path.endsWith("/index.html") ? path.slice(0, -"index.html".length) : `${path}/`;
}

/** Where a request for `path` should have been for: a page that has moved, or an address written out. */
function movedTo(release: LiveRelease, path: string): Moved | undefined {
  const page = pageAddress(path);
  const to = release.redirects.get(page);
  if (to !== undefined) return { to, code: 301 };
  return page !== path && release.files.has(page) ? { to: encodeURI(page), code: 308 } : undefined;
}

function sendMoved(request: FastifyRequest, reply: FastifyReply, { to, code }: Moved) {
  const url = request.raw.url ?? "";
  const query = url.slice(url.split("?", 1)[0]?.length);
  // Not for good in caches: the owner may give an old address to another page.
  return reply
    .code(code)
    .headers({ location: to + query, "cache-control": "public, max-age=0" })
    .send("");
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
  answering: Answering,
  reply: FastifyReply,
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
  const body = await answering.bodies.part(file, start, end);
  return reply
    .code(206)
    .headers({
      etag: etagOf(file, "identity"),
      "content-range": `bytes ${start}-${end}/${bytes}`,
      "content-length": String(end - start + 1),
    })
    .send(body);
}

async function sendFile(
  answering: Answering,
  request: FastifyRequest,
  reply: FastifyReply,
  file: SiteFile,
): Promise<FastifyReply> {
  reply.headers(file.headers);
  const range = wantedRange(request, file);
  if (range !== undefined) return sendPart(answering, reply, file, range);
  const encoding = chooseEncoding(request.headers["accept-encoding"], file.encodings);
  const etag = etagOf(file, encoding);
  reply.header("etag", etag);
  if (isUnchanged(request.headers["if-none-match"], etag)) return reply.code(304).send();
  return sendBody(answering, request, reply, file, encoding);
}

async function sendBody(
  { bodies }: Answering,
  request: FastifyRequest,
  reply: FastifyReply,
  file: SiteFile,
  encoding: Encoding,
): Promise<FastifyReply> {
  if (encoding !== "identity") reply.header("content-encoding", encoding);
  reply.header("content-length", String(bodies.size(file, encoding)));
  if (request.method === "HEAD") return reply.send();
  return reply.send(await bodies.whole(file, encoding));
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

/** The page with what this visitor alone gets, or undefined when it is the one that everybody gets. */
async function decorated(
  { decorate, bodies }: Answering,
  request: FastifyRequest,
  file: SiteFile,
): Promise<string | undefined> {
  if (decorate === undefined || !file.page || request.headers.cookie === undefined) {
    return undefined;
  }
  const page = async () => {
    const body = await bodies.whole(file, "identity");
    const bytes = Buffer.isBuffer(body) ? body : Buffer.concat(await body.toArray());
    return insertTags(bytes, await readPageTags(file.release, file.entry.hash));
  };
  return (await decorate(request, page)) ?? undefined;
}

async function sendDecorated(
  request: FastifyRequest,
  reply: FastifyReply,
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

function plainPage(title: string, text: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><h1>${title}</h1><p>${text}</p></html>`;
}

async function sendPlain(
  reply: FastifyReply,
  code: 404 | 503,
  title: string,
  text: string,
): Promise<FastifyReply> {
  return reply
    .code(code)
    .headers({
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "content-security-policy": pagePolicy([]),
    })
    .send(plainPage(title, text));
}

async function sendNotFound(
  answering: Answering,
  request: FastifyRequest,
  reply: FastifyReply,
  release: LiveRelease,
): Promise<FastifyReply> {
  const page = release.files.get("/404.html");
  if (page === undefined) {
    return sendPlain(reply, 404, "Not found", "There is no page at this address.");
  }
  reply.code(404);
  const own = await decorated(answering, request, page);
  if (own !== undefined) return sendDecorated(request, reply, page, own);
  reply.headers(page.headers).removeHeader("accept-ranges");
  const encoding = chooseEncoding(request.headers["accept-encoding"], page.encodings);
  return sendBody(answering, request, reply, page, encoding);
}

/**
 * Serves the current release to everybody: pages as folders, precompressed forms, strong validators,
 * single ranges, redirects of pages that have moved, and the site's own 404. Only what the release's manifest lists exists.
 */
export function registerSite(app: AppServer, options: SiteOptions): void {
  const answering: Answering = { ...options, bodies: makeSiteBodies() };
  const releases = makeLiveReleases(options.paths);
  const answer = async (request: FastifyRequest, reply: FastifyReply) => {
    const path = requestedPath(request.raw.url ?? "/");
    if (path !== undefined && isReservedPath(path)) return reply.callNotFound();
    const release = await releases.current();
    if (release === undefined) {
      reply.header("retry-after", "5");
      return sendPlain(
        reply,
        503,
        "Not ready yet",
        "This site is being prepared. Please come back in a moment.",
      );
    }
    if (path === undefined) return sendNotFound(answering, request, reply, release);
    const file = path === "/404.html" ? undefined : release.files.get(path);
    const moved = file === undefined || file.page ? movedTo(release, path) : undefined;
    if (moved !== undefined) return sendMoved(request, reply, moved);
    if (file === undefined) return sendNotFound(answering, request, reply, release);
    const own = await decorated(answering, request, file);
    return own === undefined
      ? sendFile(answering, request, reply, file)
      : sendDecorated(request, reply, file, own);
  };
  app.route({ method: ["GET", "HEAD"], url: "/*", handler: answer });
}
