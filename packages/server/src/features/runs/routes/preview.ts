import { createReadStream } from "node:fs";
import { join, resolve, sep } from "node:path";
import type { FastifyReply, FastifyRequest } from "fastify";
import { requestedRange } from "../../../kit/byte-range.ts";
import { AppError } from "../../../kit/errors.ts";
import type { AppServer } from "../../../platform/http/server.ts";
import type { InstancePaths } from "../../../platform/paths.ts";
import { WorkerFailure, workerJob, type WorkerPool } from "../../../platform/worker-pool.ts";
import { sessionOf } from "../../admin-auth/guard.ts";
import { opensByTicket, type PreviewTickets } from "../../admin-auth/ticket.ts";
import { type Manifest, type ManifestFile, readManifest } from "../../release/artifact/artifact.ts";
import type { RecordPreviews } from "../../release/record-preview.ts";
import { isPage } from "../../release/site/site-policy.ts";
import { currentRelease } from "../../release/current-symlink.ts";
import {
  livePreview,
  pagePrefix,
  parsePreviewPath,
  type PreviewAddress,
  type PreviewPrefixes,
  ticketPrefix,
} from "../preview-address.ts";
import { previewFrame } from "../preview-frame.ts";
import { frameHeaders, previewHeaders, previewPolicy } from "../preview-policy.ts";
import type { rewriteFile, RewriteKind, RewriteResult } from "../rewrite-worker.ts";
import type { Runs } from "../runs.ts";

export interface PreviewDependencies {
  runs: Pick<Runs, "getPreview">;
  recordPreviews: Pick<RecordPreviews, "artifactOf" | "sharedArtifactOf">;
  tickets: PreviewTickets;
  paths: InstancePaths;
  /** Has a build on this node that another one has made; none if there is one node. */
  fetchArtifact?: ((sha: string) => Promise<void>) | undefined;
  /** The script that connects a page with the console; "" if the console isn't built. */
  frameScript: string;
  /** The public address of the site. */
  baseUrl: string;
  /** Where pages, styles, and scripts are rewritten. */
  workers: WorkerPool;
}

const rewriteJob = workerJob<typeof rewriteFile>(
  new URL("../rewrite-worker.ts", import.meta.url),
  "rewriteFile",
);

/** Larger texts are sent unchanged, because a parsed page takes many times its size in memory. */
const maxRewrittenBytes = 8 * 1024 * 1024;

/**
 * The address of the console's script for pages; a file of the site at this address isn't shown.
 */
const frameScriptPath = "/_vitrine/frame.js";

/** An artifact, or the current release, for one client. */
interface View {
  dir: string;
  manifest: Manifest;
  prefixes: PreviewPrefixes;
  siteOrigin: string;
  /** The run, the record's preview, or `live`. */
  id: string;
  /** The origins under which the client may see this server. */
  origins: readonly string[];
  frameScript: string;
}

function notFound(): AppError {
  return new AppError("not_found", "There is nothing at this address.");
}

/**
 * The origins under which the client may see this server: the configured one, and the current one
 * if it is this machine or an IP address. The gate passes on the requested host.
 */
function listOrigins(request: FastifyRequest, siteOrigin: string): string[] {
  const passedOn = request.headers["x-vitrine-host"];
  const host = typeof passedOn === "string" ? passedOn : request.headers.host;
  const plain = /^(?:localhost|127(?:\.\d{1,3}){3}|\[[0-9a-f:.]+\]|[0-9.]+)(?::\d{1,5})?$/i;
  if (host === undefined || !plain.test(host)) return [siteOrigin];
  return [...new Set([siteOrigin, `http://${host.toLowerCase()}`])];
}

/** Whether `guardRunner` has authorized a request by its ticket, without a session. */
function isByTicket(request: FastifyRequest): boolean {
  return request.admin === undefined;
}

/**
 * Pages need the session and get a ticket for the files that they load; files have shown theirs.
 */
function prefixesFor(
  request: FastifyRequest,
  { previewId, ticket }: PreviewAddress,
  tickets: PreviewTickets,
): PreviewPrefixes {
  const valid =
    isByTicket(request) && ticket !== null
      ? ticket
      : tickets.issue(previewId, sessionOf(request).sessionHash);
  return { pages: pagePrefix(previewId), files: ticketPrefix(previewId, valid) };
}

async function liveDir({ paths }: PreviewDependencies): Promise<string> {
  const live = await currentRelease(paths);
  if (live === null) throw new AppError("not_found", "Nothing is published yet.");
  return join(paths.releases, String(live));
}

const isNotFound = (error: unknown) => error instanceof AppError && error.code === "not_found";

/** The artifact of a run or a record. Throws `not_found`. */
async function findArtifact(
  { runs, recordPreviews }: PreviewDependencies,
  id: string,
): Promise<string> {
  const ofRecord = recordPreviews.artifactOf(id);
  if (ofRecord !== undefined) return ofRecord;
  try {
    return (await runs.getPreview(id)).artifactSha;
  } catch (error) {
    const shared = isNotFound(error) ? await recordPreviews.sharedArtifactOf(id) : undefined;
    if (shared === undefined) throw error;
    return shared;
  }
}

/** The folder of a preview: an artifact of a run or a record, or the current release. */
async function findFolder(deps: PreviewDependencies, id: string): Promise<string> {
  if (id === livePreview) return liveDir(deps);
  try {
    const artifact = await findArtifact(deps, id);
    await deps.fetchArtifact?.(artifact);
    return join(deps.paths.artifacts, artifact);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw new AppError("not_found", "This preview doesn't exist or has expired. Create a new one.");
  }
}

async function openView(
  request: FastifyRequest,
  address: PreviewAddress,
  deps: PreviewDependencies,
): Promise<View> {
  const dir = await findFolder(deps, address.previewId);
  const siteOrigin = new URL(deps.baseUrl).origin;
  return {
    dir,
    id: address.previewId,
    origins: listOrigins(request, siteOrigin),
    manifest: await readManifest(`${dir}.json`),
    prefixes: prefixesFor(request, address, deps.tickets),
    siteOrigin,
    frameScript: deps.frameScript,
  };
}

function findManifestFile(manifest: Manifest, path: string): ManifestFile | undefined {
  return Object.hasOwn(manifest.files, path) ? manifest.files[path] : undefined;
}

/** Where an address redirects: a page that has moved, or one written without its trailing slash. */
function findRedirect({ files, redirects = {} }: Manifest, path: string): string | undefined {
  const page = path.endsWith("/") ? path : `${path}/`;
  if (Object.hasOwn(redirects, page)) return redirects[page];
  return !Object.hasOwn(files, path) && Object.hasOwn(files, page) ? page : undefined;
}

function pathOnDisk(view: View, file: ManifestFile): string {
  const path = resolve(view.dir, file.file);
  if (!path.startsWith(view.dir + sep)) throw notFound();
  return path;
}

/** How to rewrite a file's text; undefined if it is sent unchanged. */
function rewriteKindOf(type: string): RewriteKind | undefined {
  const name = type.split(";", 1)[0];
  if (name === "text/html") return "html";
  if (name === "text/css") return "css";
  const isScript = name === "text/javascript" || name === "application/javascript";
  return isScript ? "script" : undefined;
}

/** Replaces a page that can't be rewritten; shown in the console's frame. */
function unrewritablePage(why: string): string {
  const text = `This page can't be previewed: ${why}. Simplify its markup and build it again.`;
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>No preview</title><h1>No preview</h1><p>${text}</p></html>`;
}

async function sendRewritten(
  reply: FastifyReply,
  view: View,
  file: ManifestFile,
  { kind, pagePath, workers }: { kind: RewriteKind; pagePath: string; workers: WorkerPool },
) {
  const { dir, prefixes, siteOrigin, frameScript } = view;
  const script =
    frameScript === "" ? "" : `<script defer src="${prefixes.files}${frameScriptPath}"></script>`;
  reply.type(file.type);
  const result = await workers
    .run(rewriteJob, {
      kind,
      dir,
      path: pathOnDisk(view, file),
      hash: file.hash,
      prefixes,
      siteOrigin,
      pagePath,
      script,
    })
    .catch((error: unknown): RewriteResult => {
      // Other failures may be temporary; a page that exceeds a thread's limits always fails.
      if (!(error instanceof WorkerFailure) || error.reason === "busy") throw error;
      if (kind !== "html" || error.reason === "crash") throw error;
      return { tooComplex: "it takes too long to process" };
    });
  if ("tooComplex" in result) {
    return reply.code(422).send(unrewritablePage(result.tooComplex));
  }
  if (isPage(file)) {
    reply.header("content-security-policy", previewPolicy(view.origins, view.id, result.scripts));
  }
  return reply.send(result.text);
}

/** Sends a file's bytes, or the requested range of them (RFC 9110, section 14). */
function sendBytes(request: FastifyRequest, reply: FastifyReply, view: View, file: ManifestFile) {
  const path = pathOnDisk(view, file);
  reply.type(file.type).header("accept-ranges", "bytes");
  const range = requestedRange(request.headers.range, file.bytes);
  if (range === "unsatisfiable") {
    return reply.code(416).header("content-range", `bytes */${file.bytes}`).send();
  }
  const { start, end } = range ?? { start: 0, end: file.bytes - 1 };
  if (range) reply.code(206).header("content-range", `bytes ${start}-${end}/${file.bytes}`);
  reply.header("content-length", end - start + 1);
  if (request.method === "HEAD" || file.bytes === 0) return reply.send("");
  return reply.send(createReadStream(path, { start, end }));
}

/** Shows a page in its own tab inside a frame of ours. */
function sendFrame(reply: FastifyReply, view: View, path: string, address: string) {
  return reply
    .headers(frameHeaders(view.origins, view.id))
    .type("text/html; charset=utf-8")
    .send(previewFrame(address, path));
}

/** The part of an address after a preview's prefix, encoded for a browser. */
function encodeAddress(path: string, query: string | undefined): string {
  const plainPath = path.split("/").map(encodeURIComponent).join("/");
  return `${plainPath}${query === undefined ? "" : `?${query}`}`;
}

/**
 * Sends what a ticket opens: a file that a page loads, but no other part of the site, nor its 404
 * page.
 */
function sendByTicket(
  request: FastifyRequest,
  reply: FastifyReply,
  view: View,
  { path, workers }: { path: string; workers: WorkerPool },
) {
  const file = findManifestFile(view.manifest, path);
  if (file === undefined || !opensByTicket(file.type)) throw notFound();
  return sendFile(request, reply, view, file, { pagePath: path, workers });
}

async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  view: View,
  file: ManifestFile,
  { pagePath, workers }: { pagePath: string; workers: WorkerPool },
) {
  const kind = file.bytes > maxRewrittenBytes ? undefined : rewriteKindOf(file.type);
  if (kind) return sendRewritten(reply, view, file, { kind, pagePath, workers });
  return sendBytes(request, reply, view, file);
}

async function sendPreview(
  request: FastifyRequest,
  reply: FastifyReply,
  deps: PreviewDependencies,
) {
  const [rawPath = "", query] = request.url.split("?", 2);
  const address = parsePreviewPath(rawPath);
  if (!address) throw notFound();
  const { path, ticket } = address;
  const { workers } = deps;
  const byTicket = isByTicket(request);
  const view = await openView(request, address, deps);
  const page = view.prefixes.pages + encodeAddress(path, query);
  reply.headers(previewHeaders(view.origins, view.id, byTicket));
  if (ticket !== null && !byTicket) return reply.redirect(page, 307);
  if (path === frameScriptPath && view.frameScript !== "") {
    return reply.type("text/javascript; charset=utf-8").send(view.frameScript);
  }
  if (byTicket) return sendByTicket(request, reply, view, { path, workers });
  const file = findManifestFile(view.manifest, path);
  const moved = findRedirect(view.manifest, path);
  if (moved !== undefined) {
    return reply.redirect(view.prefixes.pages + encodeAddress(moved, query), 307);
  }
  const missing = file ?? findManifestFile(view.manifest, "/404.html");
  if (!missing) throw notFound();
  if (isPage(missing) && request.headers["sec-fetch-dest"] === "document") {
    return sendFrame(reply, view, path, page);
  }
  if (!file) reply.code(404);
  return sendFile(request, reply, view, missing, { pagePath: path, workers });
}

/**
 * Shows the artifacts of runs and of records' private builds, and the current release for
 * comparison, for GET and HEAD. The bytes are those that would go live. In the response, addresses
 * in pages, styles, and scripts are rewritten, and pages get what the console needs: source
 * locations of elements (`data-source`), and a script for selecting and scrolling. `guardRunner`
 * has checked authorization before.
 */
export function registerRunPreview(app: AppServer, deps: PreviewDependencies): void {
  const schema = {
    tags: ["console"],
    summary: "A file of a preview, at /_preview/<run or preview>/<path>",
    security: [{ session: [] }],
  };
  app.get("/_preview/*", { schema }, (request, reply) => sendPreview(request, reply, deps));
  app.get("/_preview/:previewId", { schema: { hide: true } }, async (request, reply) => {
    const [path = ""] = request.url.split("?", 1);
    if (!parsePreviewPath(`${path}/`)) throw notFound();
    return reply.header("cache-control", "private, no-store").redirect(`${path}/`, 307);
  });
}
