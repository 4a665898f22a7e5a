import type { IncomingMessage } from "node:http";
import { forwardingHeaders } from "./client-address.ts";
import { peerHeader } from "./front-peer.ts";

/** Headers of a single connection (RFC 9110, section 7.6.1). */
const hopByHop = [
  "connection",
  "expect",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
];

/** Headers that Connection can't remove: the address, the framing, and the proxies. */
const kept = new Set(["host", "content-length", "origin", "cookie", ...forwardingHeaders]);

/** The names of headers that end with this connection. */
function hopByHopHere({ headers }: IncomingMessage): Set<string> {
  const named = (headers.connection ?? "").split(",").map((name) => name.trim().toLowerCase());
  return new Set([...hopByHop, peerHeader, ...named.filter((name) => !kept.has(name))]);
}

function endToEnd(message: IncomingMessage): string[] {
  const { rawHeaders } = message;
  const ending = hopByHopHere(message);
  const passed: string[] = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const [name = "", value = ""] = rawHeaders.slice(i, i + 2);
    if (!ending.has(name.toLowerCase())) passed.push(name, value);
  }
  return passed;
}

/** Whether a body belongs to a request, by its framing. */
export function hasBody({ headers }: Pick<IncomingMessage, "headers">): boolean {
  const { "content-length": length, "transfer-encoding": coding } = headers;
  return coding !== undefined || (length !== undefined && length !== "0");
}

/** Methods that Node sends chunked without a declared length. */
const withBody = new Set(["POST", "PUT", "PATCH"]);

/** A request's headers for web: unchanged, with one framing and the client's real address. */
export function requestHeaders(request: IncomingMessage): string[] {
  const { headers, method = "GET", socket } = request;
  const passed = endToEnd(request);
  if (headers["transfer-encoding"] !== undefined) passed.push("Transfer-Encoding", "chunked");
  else if (headers["content-length"] === undefined && withBody.has(method)) {
    passed.push("Content-Length", "0");
  }
  passed.push(peerHeader, socket.remoteAddress ?? "");
  return passed;
}

/** Whether web closes its connection after a response. */
export function closesConnection({ headers }: IncomingMessage): boolean {
  return /(?:^|,)\s*close\s*(?:,|$)/i.test(headers.connection ?? "");
}

/**
 * A response's headers for the client. If web closes its connection, the client's is closed, too.
 */
export function responseHeaders(response: IncomingMessage): string[] {
  const passed = endToEnd(response);
  if (closesConnection(response)) passed.push("Connection", "close");
  return passed;
}
