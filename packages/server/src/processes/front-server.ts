import { randomUUID } from "node:crypto";
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from "node:http";
import { pipeline } from "node:stream";
import { proxiedPath } from "../features/admin-auth/proxied-path.ts";
import { makePreparedResponses } from "../features/release/site/prepared-responses.ts";
import type { SiteResponse } from "../features/release/site/file-response.ts";
import {
  findInRelease,
  publicResponse,
  requestedPath,
  type SiteLookup,
  unpublishedResponse,
} from "../features/release/site/public-site.ts";
import { openSiteFiles, type SiteFiles } from "../features/release/site/site-files.ts";
import { AppError } from "../kit/errors.ts";
import { failure } from "../kit/failure.ts";
import type { AccessLog } from "../platform/access-log.ts";
import { type ClientOf, makeClientOf } from "../platform/http/client-address.ts";
import { wantsPage } from "../platform/http/wants-page.ts";
import { limitConnections } from "../platform/http/connection-limit.ts";
import {
  sendMalformedRequestError,
  defaultHeaders,
  ignoreUnknownExpectations,
  reportServerErrors,
  serverTimeouts,
} from "../platform/http/http-defaults.ts";
import { makeHostCheck } from "../platform/http/origin.ts";
import { makePreparedSender } from "../platform/http/prepared-sender.ts";
import { endEarlyResponse, makeProxy, type Proxy } from "../platform/http/proxy.ts";
import { hasBody } from "../platform/http/proxy-headers.ts";
import {
  closeOnSlowClient,
  defaultSlowClientTimeoutMs,
} from "../platform/http/slow-client-timeout.ts";
import { trackUnreadResponses } from "../platform/http/unread-responses.ts";
import { type Log, redactText } from "../platform/log.ts";
import type { InstancePaths } from "../platform/paths.ts";
import type { RotatingFileOptions } from "../platform/rotating-file.ts";
import { isForEverybody, isPersonal, isSitePath } from "./site-requests.ts";

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

/** Settings of the front as a process. */
export interface FrontProcessSettings extends FrontSettings {
  /** Where the log is written; null: stderr. */
  logFile: RotatingFileOptions | null;
}

export interface Front {
  server: Server;
  /** Completes running requests and accepts no more. The caller closes the port. */
  close(): void;
}

/** Where the front tells of errors, and of requests that it has answered. */
export interface FrontLogs {
  log: Log;
  accessLog: AccessLog;
}

/** A request with its response, by the id that the log knows it by. */
interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  reqId: string;
}

interface FrontDependencies extends FrontLogs, SiteFiles {
  headers: Record<string, string>;
  isAllowedHost(request: IncomingMessage): boolean;
  clientOf: ClientOf;
  addressOf(request: IncomingMessage): string;
  unread: ReturnType<typeof trackUnreadResponses>;
  proxy: Proxy;
}

/** An address that routers, decoders, and proxies all interpret in the same way. */
const plainAddress = /^\/[!-"$-~]*$/;

/** Whether a request is one that the public site may answer: the rest is web's. */
function isSiteRequest({ isAllowedHost }: FrontDependencies, request: IncomingMessage): boolean {
  const { method, url = "", headers } = request;
  if (method !== "GET" && method !== "HEAD") return false;
  if (headers["content-type"] !== undefined || hasBody(request)) return false;
  if (!plainAddress.test(url) || proxiedPath(url) !== "open") return false;
  const path = requestedPath(url);
  return path !== undefined && isSitePath(path) && isAllowedHost(request);
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

/** For a person who opens an address: it opens it again by itself. */
function failurePage({ message, headers }: AppError): string {
  const seconds = headers?.["retry-after"];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${seconds === undefined ? "" : `<meta http-equiv="refresh" content="${seconds}">`}
<title>One moment</title>
</head>
<body>
<h1>One moment</h1>
<p>${message}</p>
</body>
</html>
`;
}

function sendFailure(
  front: FrontDependencies,
  error: AppError,
  incoming: IncomingMessage,
  response: ServerResponse,
): void {
  const reqId = randomUUID();
  logRequest(front, { request: incoming, response, reqId });
  const asPage = incoming.method === "GET" && wantsPage(incoming);
  const body = asPage ? failurePage(error) : JSON.stringify(failure(error));
  const isEarly = !incoming.complete;
  response.writeHead(error.status, {
    ...front.headers,
    "x-request-id": reqId,
    "cache-control": "no-store",
    ...error.headers,
    "content-type": `${asPage ? "text/html" : "application/json"}; charset=utf-8`,
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
  { request, response, reqId }: Exchange,
  { status, body, headers: own }: SiteResponse,
): void {
  response.writeHead(status, {
    ...headers,
    "x-request-id": reqId,
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
  { accessLog, addressOf }: FrontDependencies,
  { request, response, reqId }: Exchange,
): void {
  const began = performance.now();
  const ip = addressOf(request);
  const pathJson = JSON.stringify(redactText(request.url?.split("?", 1)[0] ?? ""));
  const { method = "GET" } = request;
  response.once("finish", () => {
    const ms = performance.now() - began;
    accessLog({ reqId, method, pathJson, status: response.statusCode, ms, ip });
  });
}

const isFound = (found: SiteLookup) => found !== "missing";

/** Answers with what the release has at this address, if `accepts` it. */
async function sendPublic(
  front: FrontDependencies,
  request: IncomingMessage,
  response: ServerResponse,
  accepts: (found: SiteLookup) => boolean,
): Promise<boolean> {
  const { releases, bodies } = front;
  const { url = "/", method = "GET", headers } = request;
  let answer: SiteResponse;
  try {
    const release = await releases.current();
    if (release === undefined) answer = unpublishedResponse();
    else {
      if (!accepts(findInRelease(release, requestedPath(url)))) return false;
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
  const exchange = { request, response, reqId: randomUUID() };
  logRequest(front, exchange);
  send(front, exchange, answer);
  return true;
}

async function respond(
  front: FrontDependencies,
  request: IncomingMessage,
  response: ServerResponse,
) {
  const { proxy } = front;
  if (!isSiteRequest(front, request)) return proxy.forward(request, response, true);
  const { cookie } = request.headers;
  // What a visitor may have of their own only web knows.
  const accepts = (found: SiteLookup) => cookie === undefined || isForEverybody(found, cookie);
  if (await sendPublic(front, request, response, accepts)) return undefined;
  return proxy.forward(request, response, cookie === undefined);
}

/** Makes what the front answers with; requests for the rest go to web by its proxy. */
function frontDependencies(settings: FrontSettings, logs: FrontLogs): FrontDependencies {
  const { baseUrl, paths } = settings;
  const clientOf = makeClientOf(settings);
  const front: FrontDependencies = {
    ...logs,
    ...openSiteFiles(paths),
    headers: defaultHeaders(baseUrl.startsWith("https:")),
    isAllowedHost: makeHostCheck({ names: [new URL(baseUrl).host], anyAddress: true }),
    clientOf,
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
      if (await sendPublic(front, request, response, isFound)) return;
    }
    sendFailure(front, unavailableError(), request, response);
  };
  return front;
}

const serverOptions: ServerOptions = {
  requestTimeout: 0,
  keepAliveTimeout: serverTimeouts.keepAlive,
  headersTimeout: serverTimeouts.headers,
  connectionsCheckingInterval: serverTimeouts.checkHeadersEvery,
  requireHostHeader: false,
  insecureHTTPParser: false,
};

/**
 * What stands at the port: answers what everybody gets of the current release from memory, and passes all
 * else on to web. While web is away it answers pages to everybody, and lets the rest wait a moment.
 */
export function createFront(settings: FrontSettings, logs: FrontLogs): Front {
  const front = frontDependencies(settings, logs);
  const { log, clientOf, unread } = front;
  const sendPrepared = makePreparedSender({
    find: makePreparedResponses({ ...front, isSitePath, isPersonal }),
    ...front,
  });
  let isClosing = false;
  const server = createServer(serverOptions, (request, response) => {
    response.on("close", closeIdle);
    if (sendPrepared(request, response)) return;
    if (!unread.start(request.socket, response)) return;
    closeOnSlowClient(response);
    respond(front, request, response).catch((error: unknown) => {
      log.error({ err: error }, "a request can't be proxied");
      response.destroy();
    });
  });
  const closeIdle = () => {
    if (isClosing) server.closeIdleConnections();
  };
  server.timeout = defaultSlowClientTimeoutMs;
  server.on("clientError", sendMalformedRequestError);
  ignoreUnknownExpectations(server);
  reportServerErrors(server, log);
  limitConnections(server, { clientOf, trustProxy: settings.trustProxy });
  return {
    server,
    close() {
      isClosing = true;
      front.proxy.close();
      server.closeIdleConnections();
    },
  };
}
