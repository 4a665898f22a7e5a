import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { chooseEncoding, type Encoding } from "../../kit/accept-encoding.ts";
import { AppError } from "../../kit/errors.ts";
import { isUnchanged } from "../../kit/etag.ts";
import type { AppServer } from "../../platform/http/server.ts";
import { wantsPage } from "../../platform/http/wants-page.ts";
import { assetsPath, type ConsoleAssets } from "./console-assets.ts";
import { managePage, managePages, type UploadLimits } from "./manage-pages.ts";
import type { PageSite } from "./page-layout.ts";
import { ownerNotFoundPage, visitorNotFoundPage } from "./not-found-page.ts";
import { loginPage } from "./login-page.ts";
import { type PageSession, panelPage, type PanelOverview } from "./overview-page.ts";
import { returnAddress, signInAddress } from "./return-address.ts";

export interface AdminPagesDependencies {
  assets: ConsoleAssets;
  site: PageSite;
  findSession(request: FastifyRequest): Promise<PageSession | null>;
  /** Whether the owner can sign in with a password. */
  hasPassword(): Promise<boolean>;
  /** The overview's content; if it fails, the page is shown without it. */
  overview(): Promise<PanelOverview>;
  uploads: UploadLimits;
}

/** The headers of every page; `sources` extend the minimal content security policy. */
function pageHeaders(sources: readonly string[]): Record<string, string> {
  return {
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
    "x-robots-tag": "noindex, nofollow",
    "content-security-policy": [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "font-src 'self'",
      "connect-src 'self'",
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
      ...sources,
    ].join("; "),
    "cross-origin-opener-policy": "same-origin",
    "x-frame-options": "DENY",
  };
}

const panelHeaders = pageHeaders(["img-src 'self' data:"]);
/**
 * Also allows placeholders, local files before upload, videos, and the frame of a private preview.
 */
const manageHeaders = pageHeaders([
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "frame-src 'self'",
]);

function sendAsset(
  assets: ConsoleAssets,
  name: string,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const asset = assets.file(name);
  if (!asset) throw new AppError("not_found", "There is nothing at this address.");
  reply.headers({
    "cache-control": "public, max-age=31536000, immutable",
    vary: "accept-encoding",
    etag: asset.etag,
  });
  if (isUnchanged(request.headers["if-none-match"], asset.etag)) return reply.code(304).send();
  const { bodies } = asset;
  const available = Object.keys(bodies) as Encoding[];
  const encoding = chooseEncoding(request.headers["accept-encoding"], available);
  if (encoding !== "identity") reply.header("content-encoding", encoding);
  return reply.type(asset.type).send(bodies[encoding]);
}

/**
 * The pages for records and media; signed-out visitors are redirected to the sign-in page and back.
 */
function registerManagePages(app: AppServer, deps: AdminPagesDependencies): void {
  const pages = managePages.filter(({ name }) => deps.site.hasSites || name !== "sites");
  const addresses = pages.flatMap((page) =>
    [page.address, `${page.address}/`].map((address) => ({ address, page })),
  );
  for (const { address, page } of addresses) {
    app.get(address, { schema: { hide: true } }, async (request, reply) => {
      const session = await deps.findSession(request);
      if (session === null) {
        // A query that the sign-in page doesn't accept is dropped; the page is kept.
        const next = returnAddress(request.url.replace(address, page.address)) ?? page.address;
        reply.header("cache-control", "no-store");
        return reply.redirect(signInAddress(next), 302);
      }
      reply.headers(manageHeaders);
      return reply.send(managePage(deps.site, deps.assets, page, deps.uploads));
    });
  }
}

/**
 * Answers unknown addresses below /admin/ with a page if a browser opens them; other clients get
 * the error as JSON.
 */
function registerNotFoundPage(app: AppServer, deps: AdminPagesDependencies): void {
  const { assets, site, findSession } = deps;
  app.addHook("onSend", async (request, reply, payload) => {
    const isMissing = reply.statusCode === 404 && request.url.startsWith("/admin/");
    if (!isMissing || request.method !== "GET" || !wantsPage(request)) return payload;
    const session = await findSession(request).catch((error: unknown) => {
      request.log.error({ err: error }, "the session can't be checked");
      return null;
    });
    reply.headers(panelHeaders);
    const entry = assets.entry("admin");
    return session === null ? visitorNotFoundPage(site, entry) : ownerNotFoundPage(site, entry);
  });
}

const panelQuery = z.object({
  e: z.string().optional().catch(undefined),
  next: z.string().optional().catch(undefined),
});

/**
 * The page /admin (the sign-in form or, for the signed-in owner, the overview), the pages below it,
 * the page for unknown addresses, and the console's files below /admin/assets/. The forms post to /admin/login and /admin/logout.
 */
export function registerAdminPages(app: AppServer, deps: AdminPagesDependencies): void {
  const { assets, site } = deps;

  const panelRoute = { schema: { hide: true, querystring: panelQuery } };
  for (const address of ["/admin", "/admin/"]) {
    app.get(address, panelRoute, async (request, reply) => {
      const session = await deps.findSession(request);
      const next = returnAddress(request.query.next);
      reply.headers(panelHeaders);
      const entry = assets.entry("admin");
      if (session === null) {
        const failed = request.query.e === "1";
        const hasPassword = await deps.hasPassword();
        return reply.send(loginPage(site, entry, { failed, next, hasPassword }));
      }
      if (next !== null) return reply.redirect(next, 302);
      const overview = await deps.overview().catch((error: unknown) => {
        request.log.error({ err: error }, "the panel's overview can't be read");
        return null;
      });
      return reply.send(panelPage(site, entry, session, overview));
    });
  }

  registerManagePages(app, deps);
  registerNotFoundPage(app, deps);

  app.get(
    `${assetsPath}:name`,
    { schema: { hide: true, params: z.object({ name: z.string() }) } },
    async (request, reply) => sendAsset(assets, request.params.name, request, reply),
  );
}
