import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { chooseEncoding, type Encoding } from "../../kit/accept-encoding.ts";
import { AppError } from "../../kit/errors.ts";
import { isUnchanged } from "../../kit/etag.ts";
import type { AppServer } from "../../platform/http/server.ts";
import { assetsPath, type ConsoleAssets } from "./console-assets.ts";
import {
  loginPage,
  type PageSession,
  type PageSite,
  panelPage,
  type PanelOverview,
} from "./page-views.ts";

export interface AdminPagesDeps {
  assets: ConsoleAssets;
  site: PageSite;
  findSession(request: FastifyRequest): Promise<PageSession | null>;
  /** What the panel tells; a failure leaves the panel without it. */
  overview(): Promise<PanelOverview>;
}

const pageHeaders = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "x-robots-tag": "noindex, nofollow",
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  "cross-origin-opener-policy": "same-origin",
  "x-frame-options": "DENY",
};

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
 * The page /admin, which is the sign-in form or, for the signed-in owner, the panel; and the
 * files of the console below /admin/assets/. The forms post to /admin/login and /admin/logout.
 */
export function registerAdminPages(app: AppServer, deps: AdminPagesDeps): void {
  const { assets, site } = deps;

  app.get(
    "/admin",
    { schema: { hide: true, querystring: z.object({ e: z.string().optional() }) } },
    async (request, reply) => {
      const session = await deps.findSession(request);
      reply.headers(pageHeaders);
      const entry = assets.entry("admin");
      if (session === null) return reply.send(loginPage(site, entry, request.query.e === "1"));
      const overview = await deps.overview().catch((error: unknown) => {
        request.log.error({ err: error }, "the panel's overview can't be read");
        return null;
      });
      return reply.send(panelPage(site, entry, session, overview));
    },
  );

  app.get(
    `${assetsPath}:name`,
    { schema: { hide: true, params: z.object({ name: z.string() }) } },
    async (request, reply) => sendAsset(assets, request.params.name, request, reply),
  );
}
