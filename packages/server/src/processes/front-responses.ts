import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream";
import { proxiedPath } from "../features/admin-auth/proxied-path.ts";
import type { SiteResponse } from "../features/release/site/file-response.ts";
import {
  findInRelease,
  publicResponse,
  requestedPath,
  type SiteLookup,
  unpublishedResponse,
} from "../features/release/site/public-site.ts";
import type { SiteFiles } from "../features/release/site/site-files.ts";
import { AppError } from "../kit/errors.ts";
import { failure } from "../kit/failure.ts";
import type { AccessLog } from "../platform/access-log.ts";
import type { ClientOf } from "../platform/http/client-address.ts";
import { endEarlyResponse, type Proxy } from "../platform/http/proxy.ts";
import { hasBody } from "../platform/http/proxy-headers.ts";
import type { UnreadResponses } from "../platform/http/unread-responses.ts";
import { wantsPage } from "../platform/http/wants-page.ts";
import type { Log } from "../platform/log.ts";
import { redactText } from "../platform/log.ts";
import { isForEverybody, isSitePath } from "./site-requests.ts";

/** Where the front tells of errors, and of requests that it has answered. */
export interface FrontLogs {
  log: Log;
  accessLog: AccessLog;
}

/** What the front answers the requests for one site with. */
export interface FrontDependencies extends FrontLogs, SiteFiles {
  headers: Record<string, string>;
  isAllowedHost(request: IncomingMessage): boolean;
  clientOf: ClientOf;
  addressOf(request: IncomingMessage): string;
  unread: UnreadResponses;
  proxy: Proxy;
}

/** A request with its response, by the id that the log knows it by. */
interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  reqId: string;
}

/** An address that routers, decoders, and proxies all interpret in the same way. */
export const plainAddress = /^\/[!-"$-~]*$/;

/** Whether a request is one that the public site may answer: the rest is web's. */
function isSiteRequest({ isAllowedHost }: FrontDependencies, request: IncomingMessage): boolean {
  const { method, url = "", headers } = request;
  if (method !== "GET" && method !== "HEAD") return false;
  if (headers["content-type"] !== undefined || hasBody(request)) return false;
  if (!plainAddress.test(url) || proxiedPath(url) !== "open") return false;
  const path = requestedPath(url);
  return path !== undefined && isSitePath(path) && isAllowedHost(request);
}

export function unavailableError(): AppError {
  return new AppError("unavailable", "The server is restarting. Try again in a moment.", {
    headers: { "retry-after": "2" },
  });
}

export function connectionLostError(): AppError {
  const message =
    "The server stopped while it answered. Check whether the change was made before you try again.";
  return new AppError("upstream_failed", message);
}

/** For a person who opens an address: the page reloads automatically if that may help. */
function failurePage({ code, message, headers }: AppError): string {
  const seconds = headers?.["retry-after"];
  const title = code === "unavailable" && seconds === undefined ? "Not available" : "One moment";
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${seconds === undefined ? "" : `<meta http-equiv="refresh" content="${seconds}">`}
<title>${title}</title>
</head>
<body>
<h1>${title}</h1>
<p>${message}</p>
</body>
</html>
`;
}

/** Ends a response without more, also while its request still arrives. */
function endWith(
  request: IncomingMessage,
  response: ServerResponse,
  answer: { status: number; headers: Record<string, string>; body: string },
): void {
  const { status, headers, body } = answer;
  const isEarly = !request.complete;
  response.writeHead(status, {
    ...headers,
    "content-length": Buffer.byteLength(body),
    ...(isEarly ? { connection: "close" } : {}),
  });
  if (!isEarly) {
    response.end(body);
    return;
  }
  response.write(body);
  endEarlyResponse(request, response);
}

export function sendFailure(
  front: FrontDependencies,
  error: AppError,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const reqId = randomUUID();
  logRequest(front, { request, response, reqId });
  const asPage = request.method === "GET" && wantsPage(request);
  endWith(request, response, {
    status: error.status,
    headers: {
      ...front.headers,
      "x-request-id": reqId,
      "cache-control": "no-store",
      ...error.headers,
      "content-type": `${asPage ? "text/html" : "application/json"}; charset=utf-8`,
    },
    body: asPage ? failurePage(error) : JSON.stringify(failure(error)),
  });
}

/** Leads to the same address of a site's main domain. */
export function sendRedirect(
  front: FrontDependencies,
  baseUrl: string,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const { url = "/" } = request;
  const reqId = randomUUID();
  logRequest(front, { request, response, reqId });
  // An address with two slashes would lead elsewhere.
  const path = plainAddress.test(url) && !url.startsWith("//") ? url : "/";
  endWith(request, response, {
    status: 308,
    headers: {
      ...front.headers,
      "x-request-id": reqId,
      "cache-control": "no-cache",
      location: new URL(baseUrl).origin + path,
    },
    body: "",
  });
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
  // Also for a client that has closed the connection as soon as it had everything.
  response.once("close", () => {
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

/** Answers what everybody gets of the current release, and passes all else on. */
export async function respond(
  front: FrontDependencies,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { proxy } = front;
  if (!isSiteRequest(front, request)) return proxy.forward(request, response, true);
  const { cookie } = request.headers;
  // What a visitor may have of their own only web knows.
  const accepts = (found: SiteLookup) => cookie === undefined || isForEverybody(found, cookie);
  if (await sendPublic(front, request, response, accepts)) return undefined;
  return proxy.forward(request, response, cookie === undefined);
}

/** Answers in place of a web that is away: pages for everybody, and `error` for all else. */
export async function respondWithoutWeb(
  front: FrontDependencies,
  error: AppError,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (isSiteRequest(front, request)) {
    if (await sendPublic(front, request, response, isFound)) return;
  }
  sendFailure(front, error, request, response);
}
