import type { FastifyReply, FastifyRequest } from "fastify";
import { isReservedPath } from "../../platform/http/methods.ts";
import type { AppServer } from "../../platform/http/server.ts";
import type { Log } from "../../platform/log.ts";
import type { InstancePaths } from "../../platform/paths.ts";
import { WorkerFailure, workerJob, type WorkerPool } from "../../platform/worker-pool.ts";
import { type LiveRelease, makeLiveReleases, type SiteFile } from "./site/live-release.ts";
import type { FindOwn, OwnAnswer } from "./site/own-files.ts";
import { type Exchange, sendDecorated, sendFile, sendMissingPage } from "./site/send-file.ts";
import { makeSiteBodies, type SiteBodies } from "./site/site-bodies.ts";
import { pagePolicy } from "./site/site-policy.ts";
import type { readTaggedPage } from "./tagged-page-worker.ts";

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
  /** Where pages get what is for the admin only; without it none are decorated. */
  workers?: WorkerPool;
  /** What is one visitor's where the public site has nothing. */
  findOwn?: FindOwn;
}

/** A longer page is served to everybody alike. */
const maxDecoratedBytes = 8 * 1024 * 1024;

const taggedPageJob = workerJob<typeof readTaggedPage>(
  new URL("./tagged-page-worker.ts", import.meta.url),
  "readTaggedPage",
);

interface Answering extends SiteOptions {
  bodies: SiteBodies;
}

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

/** The page with what this visitor alone gets, or undefined when it is the one that everybody gets. */
async function decorated(
  { decorate, workers }: Answering,
  request: FastifyRequest,
  file: SiteFile,
): Promise<string | undefined> {
  if (decorate === undefined || workers === undefined) return undefined;
  if (!file.page || request.headers.cookie === undefined) return undefined;
  if (file.entry.bytes > maxDecoratedBytes) return undefined;
  const page = async () => {
    const { path, release, entry } = file;
    return workers.run(taggedPageJob, { path, release, hash: entry.hash });
  };
  try {
    return (await decorate(request, page)) ?? undefined;
  } catch (error) {
    if (!(error instanceof WorkerFailure)) throw error;
    request.log.warn({ err: error }, "a page is served without the console");
    return undefined;
  }
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
  { request, reply }: Exchange,
  release: LiveRelease,
): Promise<FastifyReply> {
  const { bodies } = answering;
  const page = release.files.get("/404.html");
  if (page === undefined) {
    return sendPlain(reply, 404, "Not found", "There is no page at this address.");
  }
  const own = await decorated(answering, request, page);
  if (own === undefined) return sendMissingPage({ bodies, request, reply }, page);
  reply.code(404);
  return sendDecorated({ bodies, request, reply }, page, own);
}

/** What is this visitor's: in no cache, in no search engine, and on no other site. */
const ownHeaders = {
  "cache-control": "private, no-store",
  "x-robots-tag": "noindex, nofollow",
  "cross-origin-resource-policy": "same-origin",
  vary: "Cookie, Accept-Encoding",
};

/** What is this visitor's alone; null where there is no such thing. */
async function ownAnswer(
  { findOwn }: Answering,
  request: FastifyRequest,
  path: string,
): Promise<OwnAnswer | null> {
  if (findOwn === undefined || request.headers.cookie === undefined) return null;
  return findOwn(request, path);
}

async function sendOwn(
  answering: Answering,
  exchange: Exchange,
  found: OwnAnswer,
): Promise<FastifyReply> {
  const { request, reply } = exchange;
  if ("to" in found) {
    return reply
      .code(307)
      .headers({ ...ownHeaders, location: encodeURI(found.to) })
      .send("");
  }
  const { file, opened } = found;
  await opened?.();
  const page = await decorated(answering, request, file);
  if (page === undefined) return sendFile(exchange, file, ownHeaders);
  reply.headers(ownHeaders);
  return sendDecorated(exchange, file, page);
}

async function sendFound(
  answering: Answering,
  exchange: Exchange,
  file: SiteFile,
): Promise<FastifyReply> {
  const own = await decorated(answering, exchange.request, file);
  return own === undefined ? sendFile(exchange, file) : sendDecorated(exchange, file, own);
}

/**
 * Serves the current release to everybody: pages as folders, precompressed forms, strong validators,
 * single ranges, redirects of pages that have moved, and the site's own 404. Only what the release's
 * manifest lists exists; where it lists nothing, a visitor may have something of their own.
 */
export function registerSite(app: AppServer, options: SiteOptions): void {
  const bodies = makeSiteBodies();
  const answering: Answering = { ...options, bodies };
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
    const exchange: Exchange = { bodies, request, reply };
    if (path === undefined) return sendNotFound(answering, exchange, release);
    const file = path === "/404.html" ? undefined : release.files.get(path);
    const moved = file === undefined || file.page ? movedTo(release, path) : undefined;
    if (moved !== undefined) return sendMoved(request, reply, moved);
    if (file !== undefined) return sendFound(answering, exchange, file);
    // Not by what is sent: a reply that is awaited is nothing once it is on its way.
    const own = await ownAnswer(answering, request, path);
    if (own === null) return sendNotFound(answering, exchange, release);
    return sendOwn(answering, exchange, own);
  };
  app.route({ method: ["GET", "HEAD"], url: "/*", handler: answer });
}
