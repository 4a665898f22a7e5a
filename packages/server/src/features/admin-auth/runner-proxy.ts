import type { IncomingHttpHeaders } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type Dispatcher, Pool } from "undici";
import { AppError } from "../../kit/errors.ts";
import type { AppServer } from "../../platform/http/server.ts";
import { proxiedPath } from "./proxied-path.ts";
import type { AdminGuard } from "./guard.ts";
import { isTicketed } from "./ticket.ts";

export interface RunnerProxyDependencies {
  guard: AdminGuard;
  /** Where the runner listens, such as http://127.0.0.1:3011. */
  runnerUrl: string;
  /** Shows the runner that a call comes through this gate. */
  runnerKey: string;
  /** The site's address; what a checked Origin is passed on as. */
  baseUrl: string;
  /** Whether the ticket in a preview's address is good. */
  verifyPreviewTicket(url: string): Promise<boolean>;
  /** Addresses whose JSON may be longer than 256 KiB, and how long, in bytes. */
  largeBodies?: Readonly<Record<string, number>>;
}

/** What the runner learns of a request. Everything else a client says about itself stays here. */
const forwardedHeaders = [
  "accept",
  "accept-language",
  "accept-encoding",
  "content-type",
  "if-modified-since",
  "if-none-match",
  "last-event-id",
  "range",
  "sec-fetch-dest",
  "sec-fetch-mode",
  "sec-fetch-site",
  "user-agent",
];

/** What of the runner's answer concerns the two connections, or is this process's to say. */
const hopByHopHeaders = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-connection",
  "set-cookie",
  "strict-transport-security",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "x-request-id",
]);

/** The runner answers a publish that has to rebuild within this, ms. */
const headersTimeout = 180_000;
/** An event stream says something every 15 s; silence for this long means that nobody is there, ms. */
const bodyTimeout = 60_000;
const maxBody = 256 * 1024;

function pathOf(request: FastifyRequest): string {
  return request.url.split("?", 1)[0] ?? "";
}

function upstreamHeaders(
  request: FastifyRequest,
  deps: RunnerProxyDependencies,
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name of forwardedHeaders) {
    const value = request.headers[name];
    if (typeof value === "string") headers[name] = value;
  }
  // The guard has checked the Origin against this server's own addresses, of which the runner knows one.
  if (request.headers.origin !== undefined && !isTicketed(request)) {
    headers["origin"] = new URL(deps.baseUrl).origin;
  }
  const cookie = isTicketed(request)
    ? undefined
    : deps.guard.cookie.extract(request.headers.cookie);
  return {
    ...headers,
    ...(cookie === undefined ? {} : { cookie }),
    "x-vitrine-key": deps.runnerKey,
    // A preview's policy names the address that the browser has.
    "x-vitrine-host": request.headers.host ?? "",
    "x-request-id": request.id,
  };
}

function responseHeaders(request: FastifyRequest, upstream: IncomingHttpHeaders) {
  const headers: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(upstream)) {
    if (value !== undefined && !hopByHopHeaders.has(name) && !name.startsWith("x-vitrine-")) {
      headers[name] = value;
    }
  }
  if (pathOf(request).startsWith("/_preview")) headers["cache-control"] = "private, no-store";
  headers["x-accel-buffering"] = "no";
  return headers;
}

async function forward(
  pool: Pool,
  deps: RunnerProxyDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const gone = new AbortController();
  reply.raw.once("close", () => gone.abort());
  let response: Dispatcher.ResponseData;
  try {
    response = await pool.request({
      path: request.url,
      method: request.method as Dispatcher.HttpMethod,
      headers: upstreamHeaders(request, deps),
      body: typeof request.body === "string" ? request.body : null,
      signal: gone.signal,
    });
  } catch (cause) {
    if (gone.signal.aborted) return reply.hijack();
    throw new AppError("unavailable", "The runner can't be reached at the moment.", {
      headers: { "retry-after": "2" },
      cause,
    });
  }
  reply.code(response.statusCode).headers(responseHeaders(request, response.headers));
  return reply.send(response.body);
}

/**
 * Puts the runner's /devconsole and /_preview behind this server, for the signed-in admin only. The
 * style sheets, scripts, fonts and media of a previewed page are asked for without a cookie: their
 * addresses carry a ticket instead, good for these files of that one preview. Bodies are JSON up to 256 KiB, or what is told; answers stream; a client that leaves is gone for
 * the runner too.
 */
export function registerRunnerProxy(app: AppServer, deps: RunnerProxyDependencies): void {
  const pool = new Pool(new URL(deps.runnerUrl).origin, {
    connections: 128,
    headersTimeout,
    bodyTimeout,
  });
  const requireSession = deps.guard.requireSession();

  async function admit(request: FastifyRequest): Promise<void> {
    if (!isTicketed(request)) return requireSession(request);
    if (await deps.verifyPreviewTicket(request.url)) return;
    throw new AppError("unauthenticated", "This preview address has expired.");
  }

  app.addHook("onRequest", async (request) => {
    if (proxiedPath(request.raw.url ?? "") === "disguised") {
      throw new AppError("not_found", "There is nothing at this address.");
    }
  });

  void app.register(async (gated) => {
    gated.removeAllContentTypeParsers();
    gated.addContentTypeParser(
      "application/json",
      { parseAs: "string", bodyLimit: maxBody },
      (_request, body, done) => done(null, body),
    );
    gated.addHook("onRequest", admit);
    gated.addHook("onClose", () => pool.destroy());
    for (const [url, bodyLimit] of Object.entries(deps.largeBodies ?? {})) {
      gated.post(url, { bodyLimit, schema: { hide: true } }, (request, reply) =>
        forward(pool, deps, request, reply),
      );
    }
    for (const url of ["/devconsole", "/devconsole/*", "/_preview", "/_preview/*"]) {
      gated.route({
        method: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"],
        url,
        schema: { hide: true },
        handler: (request, reply) => forward(pool, deps, request, reply),
      });
    }
  });
}
