import type { FastifyReply, FastifyRequest } from "fastify";
import { isReservedPath } from "../../platform/http/methods.ts";
import type { AppServer } from "../../platform/http/server.ts";
import type { Log } from "../../platform/log.ts";
import { WorkerFailure, workerJob, type WorkerPool } from "../../platform/worker-pool.ts";
import type { LiveRelease, SiteFile } from "./site/live-release.ts";
import type { FindOwnContent, OwnContent } from "./site/own-content.ts";
import { decoratedResponse, fileResponse, type SiteResponse } from "./site/file-response.ts";
import {
  findInRelease,
  missingResponse,
  redirectResponse,
  requestedPath,
  unpublishedResponse,
} from "./site/public-site.ts";
import type { SiteFiles } from "./site/site-files.ts";
import type { readTaggedPage } from "./tagged-page-worker.ts";

/**
 * Adds to a page what only this visitor gets, within the page's own policy; null leaves it
 * unchanged. Called only for pages, and only if the request has a cookie. `page` returns the page
 * with `data-source` on its elements, which only the admin may see.
 */
export type Decorate = (
  request: FastifyRequest,
  page: () => Promise<string>,
) => Promise<string | null>;

export interface SiteDependencies extends SiteFiles {
  log: Log;
  decorate?: Decorate;
  /** Where the admin's additions are made; without it, no page is decorated. */
  workers?: WorkerPool;
  /** This visitor's own content at addresses where the public site has nothing. */
  findOwnContent?: FindOwnContent;
}

/** Longer pages are served to everybody unchanged. */
const maxDecoratedBytes = 8 * 1024 * 1024;

const taggedPageJob = workerJob<typeof readTaggedPage>(
  new URL("./tagged-page-worker.ts", import.meta.url),
  "readTaggedPage",
);

/** A request that is answered with a site's files. */
interface Exchange {
  request: FastifyRequest;
  reply: FastifyReply;
}

function send(reply: FastifyReply, { status, headers, body }: SiteResponse): FastifyReply {
  reply.code(status).headers(headers);
  return body === null ? reply.send() : reply.send(body);
}

/** The page with this visitor's additions, or undefined if it is the public one. */
async function decorated(
  { decorate, workers }: SiteDependencies,
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

async function sendNotFound(
  deps: SiteDependencies,
  { request, reply }: Exchange,
  release: LiveRelease,
): Promise<FastifyReply> {
  const page = release.files.get("/404.html");
  const own = page && (await decorated(deps, request, page));
  if (page === undefined || own === undefined) {
    return send(reply, await missingResponse(deps.bodies, request, release));
  }
  return send(reply, { ...(await decoratedResponse(request, page, own)), status: 404 });
}

/** Private content: not cached, not indexed, and not shown on other sites. */
const ownHeaders = {
  "cache-control": "private, no-store",
  "x-robots-tag": "noindex, nofollow",
  "cross-origin-resource-policy": "same-origin",
  vary: "Cookie, Accept-Encoding",
};

/** This visitor's own content; null if there is none. */
async function readOwnContent(
  { findOwnContent }: SiteDependencies,
  request: FastifyRequest,
  path: string,
): Promise<OwnContent | null> {
  if (findOwnContent === undefined || request.headers.cookie === undefined) return null;
  return findOwnContent(request, path);
}

async function sendOwnContent(
  deps: SiteDependencies,
  { request, reply }: Exchange,
  found: OwnContent,
): Promise<FastifyReply> {
  if ("to" in found) {
    return reply
      .code(307)
      .headers({ ...ownHeaders, location: encodeURI(found.to) })
      .send("");
  }
  const { file, opened } = found;
  await opened?.();
  const page = await decorated(deps, request, file);
  if (page === undefined) {
    return send(reply, await fileResponse(deps.bodies, request, file, ownHeaders));
  }
  return send(reply.headers(ownHeaders), await decoratedResponse(request, file, page));
}

async function sendFound(
  deps: SiteDependencies,
  { request, reply }: Exchange,
  file: SiteFile,
): Promise<FastifyReply> {
  const own = await decorated(deps, request, file);
  return send(
    reply,
    own === undefined
      ? await fileResponse(deps.bodies, request, file)
      : await decoratedResponse(request, file, own),
  );
}

/**
 * Serves the current release to everybody: pages as folders, precompressed files, strong
 * validators, single ranges, redirects of moved pages, and the site's own 404. Only what the
 * release's manifest lists exists; for other addresses, a visitor may have private content.
 */
export function registerSite(app: AppServer, deps: SiteDependencies): void {
  const { releases } = deps;
  const response = async (request: FastifyRequest, reply: FastifyReply) => {
    const url = request.raw.url ?? "/";
    const path = requestedPath(url);
    if (path !== undefined && isReservedPath(path)) return reply.callNotFound();
    const release = await releases.current();
    if (release === undefined) return send(reply, unpublishedResponse());
    const exchange: Exchange = { request, reply };
    const found = findInRelease(release, path);
    if (found !== "missing") {
      if ("moved" in found) return send(reply, redirectResponse(url, found.moved));
      return sendFound(deps, exchange, found.file);
    }
    // Not by what is sent: a reply that is awaited is nothing once it is on its way.
    const own = path === undefined ? null : await readOwnContent(deps, request, path);
    if (own === null) return sendNotFound(deps, exchange, release);
    return sendOwnContent(deps, exchange, own);
  };
  app.route({ method: ["GET", "HEAD"], url: "/*", handler: response });
}
