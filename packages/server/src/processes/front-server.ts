import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { pipeline } from "node:stream";
import { proxiedPath } from "../features/admin-auth/proxied-path.ts";
import type { SiteResponse } from "../features/release/site/file-response.ts";
import { type LiveReleases, makeLiveReleases } from "../features/release/site/live-release.ts";
import {
  findInRelease,
  publicResponse,
  requestedPath,
  unpublishedResponse,
} from "../features/release/site/public-site.ts";
import { makeSiteBodies, type SiteBodies } from "../features/release/site/site-bodies.ts";
import { AppError } from "../kit/errors.ts";
import { failure } from "../kit/failure.ts";
import { makeClientOf } from "../platform/http/client-address.ts";
import { limitConnections } from "../platform/http/connection-limit.ts";
import {
  sendMalformedRequestError,
  defaultHeaders,
  ignoreUnknownExpectations,
  reportServerErrors,
  serverTimeouts,
} from "../platform/http/http-defaults.ts";
import { isReservedPath } from "../platform/http/methods.ts";
import { makeHostCheck } from "../platform/http/origin.ts";
import { endEarlyResponse, makeProxy, type Proxy } from "../platform/http/proxy.ts";
import { hasBody } from "../platform/http/proxy-headers.ts";
import {
  closeOnSlowClient,
  defaultSlowClientTimeoutMs,
} from "../platform/http/slow-client-timeout.ts";
import { trackUnreadResponses } from "../platform/http/unread-responses.ts";
import { type Log, redactText } from "../platform/log.ts";
import type { InstancePaths } from "../platform/paths.ts";

/** Settings that the supervisor, which has read the configuration, passes to the front. */
export interface FrontSettings {
  baseUrl: string;
  trustedIps: string[];
  trustProxy: string[];
  logLevel: string;
  paths: Pick<InstancePaths, "current" | "releases">;
  /** The Unix socket that web listens on. */
  webSocket: string;
}

export interface Front {
  server: Server;
  /** Completes running requests and accepts no more. The caller closes the port. */
  close(): void;
}

interface FrontDependencies {
  log: Log;
  releases: LiveReleases;
  bodies: SiteBodies;
  headers: Record<string, string>;
  isAllowedHost(request: IncomingMessage): boolean;
  addressOf(request: IncomingMessage): string;
  unread: ReturnType<typeof trackUnreadResponses>;
  proxy: Proxy;
}

/** An address that routers, decoders, and proxies all interpret in the same way. */
const plainAddress = /^\/[!-"$-~]*$/;

/** Pages that web renders for each visitor; the release contains only their layout. */
const webPages = /^\/account(?:\/|$)/;

/** Whether the public site may answer a request; all others go to web. */
function isSiteRequest({ isAllowedHost }: FrontDependencies, request: IncomingMessage): boolean {
  const { method, url = "", headers } = request;
  if (method !== "GET" && method !== "HEAD") return false;
  if (headers["content-type"] !== undefined || hasBody(request)) return false;
  if (!plainAddress.test(url) || proxiedPath(url) !== "open") return false;
  const path = requestedPath(url);
  if (path === undefined || isReservedPath(path) || webPages.test(path)) return false;
  return isAllowedHost(request);
}

function unavailableError(): AppError {
  return new AppError("unavailable", "The server is restarting. Try again in a moment.", {
    headers: { "retry-after": "2" },
  });
}

function connectionLostError(): AppError {
  const message =
    "The server stopped while it answered. Check whether the change was made before you try again.";
  return new AppError("upstream_failed", message);
}

function sendFailure(
  { headers }: FrontDependencies,
  error: AppError,
  incoming: IncomingMessage,
  response: ServerResponse,
): void {
  const body = JSON.stringify(failure(error));
  const isEarly = !incoming.complete;
  response.writeHead(error.status, {
    ...headers,
    "x-request-id": randomUUID(),
    "cache-control": "no-store",
    ...error.headers,
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(body),
    ...(isEarly ? { connection: "close" } : {}),
  });
  if (!isEarly) {
    response.end(body);
    return;
  }
  response.write(body);
  endEarlyResponse(incoming, response);
}

function send(
  { headers, unread }: FrontDependencies,
  request: IncomingMessage,
  response: ServerResponse,
  { status, body, headers: own }: SiteResponse,
): void {
  response.writeHead(status, {
    ...headers,
    "x-request-id": randomUUID(),
    ...own,
    ...(typeof body === "string" ? { "content-length": Buffer.byteLength(body) } : {}),
  });
  if (body === null || typeof body === "string" || Buffer.isBuffer(body)) {
    if (body !== null) unread.addBytes(request.socket, response, Buffer.byteLength(body));
    response.end(body ?? undefined);
    return;
  }
  pipeline(body, response, () => {});
}

function logRequest(
  { log, addressOf }: FrontDependencies,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const began = performance.now();
  response.once("finish", () => {
    log.info(
      {
        method: request.method,
        path: redactText(request.url?.split("?", 1)[0] ?? ""),
        status: response.statusCode,
        ms: Math.round((performance.now() - began) * 10) / 10,
        ip: addressOf(request),
      },
      "request",
    );
  });
}

/** Whether the public release has this address; without a cookie, it answers all addresses. */
async function sendPublic(
  front: FrontDependencies,
  request: IncomingMessage,
  response: ServerResponse,
  { skipMissing }: { skipMissing: boolean },
): Promise<boolean> {
  const { releases, bodies } = front;
  const { url = "/", method = "GET", headers } = request;
  let answer: SiteResponse;
  try {
    const release = await releases.current();
    if (release === undefined) answer = unpublishedResponse();
    else {
      if (skipMissing && findInRelease(release, requestedPath(url)) === "missing") return false;
      answer = await publicResponse(bodies, { url, method, headers }, release);
    }
  } catch (error) {
    front.log.error({ err: error }, "a page can't be read");
    return false;
  }
  if (response.destroyed) {
    if (answer.body !== null && typeof answer.body === "object" && "destroy" in answer.body) {
      answer.body.destroy();
    }
    return true;
  }
  logRequest(front, request, response);
  send(front, request, response, answer);
  return true;
}

async function respond(
  front: FrontDependencies,
  request: IncomingMessage,
  response: ServerResponse,
) {
  const { proxy } = front;
  if (!isSiteRequest(front, request)) return proxy.forward(request, response, true);
  // Only web knows what a visitor may see besides.
  if (request.headers.cookie !== undefined) return proxy.forward(request, response, false);
  if (await sendPublic(front, request, response, { skipMissing: false })) return undefined;
  return proxy.forward(request, response, true);
}

/**
 * The server on the port: answers public requests from memory with the current release and proxies
 * all others to web. While web is unavailable, it serves public pages to everybody and lets other
 * requests wait for a moment.
 */
export function createFront(settings: FrontSettings, log: Log): Front {
  const { baseUrl, paths, trustProxy } = settings;
  const clientOf = makeClientOf(settings);
  const front: FrontDependencies = {
    log,
    releases: makeLiveReleases(paths),
    bodies: makeSiteBodies(),
    headers: defaultHeaders(baseUrl.startsWith("https:")),
    isAllowedHost: makeHostCheck({ names: [new URL(baseUrl).host], anyAddress: true }),
    addressOf: (request) => clientOf(request).address,
    unread: trackUnreadResponses(),
    proxy: makeProxy({
      socketPath: settings.webSocket,
      sendUnavailable: (request, response) => void answerAway(request, response),
      sendConnectionLost: (request, response) =>
        sendFailure(front, connectionLostError(), request, response),
    }),
  };
  const answerAway = async (request: IncomingMessage, response: ServerResponse) => {
    if (isSiteRequest(front, request)) {
      if (await sendPublic(front, request, response, { skipMissing: true })) return;
    }
    sendFailure(front, unavailableError(), request, response);
  };
  const server = createServer(
    {
      requestTimeout: 0,
      keepAliveTimeout: serverTimeouts.keepAlive,
      headersTimeout: serverTimeouts.headers,
      connectionsCheckingInterval: serverTimeouts.checkHeadersEvery,
      requireHostHeader: false,
      insecureHTTPParser: false,
    },
    (request, response) => {
      if (!front.unread.start(request.socket, response)) return;
      closeOnSlowClient(response);
      response.once("close", () => {
        if (isClosing) server.closeIdleConnections();
      });
      respond(front, request, response).catch((error: unknown) => {
        log.error({ err: error }, "a request can't be passed on");
        response.destroy();
      });
    },
  );
  let isClosing = false;
  server.timeout = defaultSlowClientTimeoutMs;
  server.on("clientError", sendMalformedRequestError);
  ignoreUnknownExpectations(server);
  reportServerErrors(server, log);
  limitConnections(server, { clientOf, trustProxy });
  return {
    server,
    close() {
      isClosing = true;
      front.proxy.close();
      server.closeIdleConnections();
    },
  };
}
