import type { IncomingHttpHeaders } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Dispatcher, Pool as RunnerPool } from "undici";
import Pool from "undici/lib/dispatcher/pool.js";
import { AppError } from "../../kit/errors.ts";
import { requestFrom } from "../../platform/http-request.ts";
import type { AppServer } from "../../platform/http/server.ts";
import { proxiedPath } from "./proxied-path.ts";
import type { AdminGuard } from "./guard.ts";
import { isTicketed } from "./ticket.ts";

export interface RunnerProxyDependencies {
  guard: AdminGuard;
  /** The runner's address, such as http://127.0.0.1:3011. */
  runnerUrl: string;
  /** Proves to the runner that a request comes through this gate. */
  runnerKey: string;
  /** The site's address, passed on as the checked Origin. */
  baseUrl: string;
  /** Whether the ticket in a preview's address is valid. */
  verifyPreviewTicket(url: string): Promise<boolean>;
  /** How long the runner may take to answer, in ms; defaults to 180,000. */
  headersTimeoutMs?: number;
  /** Addresses that accept more than 256 KiB of JSON, and their limits in bytes. */
  largeBodies?: Readonly<Record<string, number>>;
}

/** Headers passed to the runner; all others that a client sends are dropped. */
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

/** Headers of the runner's response that concern only the connection, or that this process sets. */
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

/** Time limit for the runner's response headers, ms; a publish may have to rebuild. */
const maxHeadersMs = 180_000;
/** An event stream sends something every 15 s; after this much silence it counts as dead, ms. */
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
  // The guard has checked the Origin against this server's own addresses; the runner knows one of
  // them.
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
    // A preview's policy contains the address that the browser uses.
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
  pool: RunnerPool,
  deps: RunnerProxyDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const gone = new AbortController();
  reply.raw.once("close", () => gone.abort());
  let response: Dispatcher.ResponseData;
  try {
    response = await requestFrom(pool, {
      path: request.url,
      method: request.method as Dispatcher.HttpMethod,
      headers: upstreamHeaders(request, deps),
      body: typeof request.body === "string" ? request.body : null,
      signal: gone.signal,
    });
  } catch (cause) {
    if (gone.signal.aborted) return reply.hijack();
    if ((cause as { code?: unknown }).code === "UND_ERR_HEADERS_TIMEOUT") {
      const message =
        "This takes longer than usual and continues. Don't repeat it: reload to see how it ends.";
      throw new AppError("unavailable", message, { headers: { "retry-after": "30" }, cause });
    }
    throw new AppError("unavailable", "The runner can't be reached at the moment.", {
      headers: { "retry-after": "2" },
      cause,
    });
  }
  reply.code(response.statusCode).headers(responseHeaders(request, response.headers));
  return reply.send(response.body);
}

/**
 * Proxies /devconsole and /_preview to the runner, only for the signed-in admin. Browsers request
 * the style sheets, scripts, fonts, and media of a previewed page without a cookie, so their
 * addresses contain a ticket that is valid only for such files of that preview. Bodies are JSON of
 * at most 256 KiB unless configured otherwise. Responses are streamed; if a client leaves, its
 * request to the runner is closed.
 */
export function registerRunnerProxy(app: AppServer, deps: RunnerProxyDependencies): void {
  const pool = new Pool(new URL(deps.runnerUrl).origin, {
    connections: 128,
    headersTimeout: deps.headersTimeoutMs ?? maxHeadersMs,
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
