import type { IncomingMessage } from "node:http";
import { forwardingHeaders } from "./client-address.ts";
import { peerHeader } from "./front-peer.ts";

/** What concerns one connection only (RFC 9110, section 7.6.1). */
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

/** What Connection can't take away: the address, the framing, and who stands between. */
const kept = new Set(["host", "content-length", "origin", "cookie", ...forwardingHeaders]);

/** The names of fields that end with this connection. */
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

/** Methods whose requests Node sends as chunked unless they tell a length. */
const withBody = new Set(["POST", "PUT", "PATCH"]);

/** The fields of a request as web gets it: as they came, with one framing and the client's true address. */
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

/** Whether web ends its connection with an answer. */
export function closesConnection({ headers }: IncomingMessage): boolean {
  return /(?:^|,)\s*close\s*(?:,|$)/i.test(headers.connection ?? "");
}

/** The fields of web's answer as the client gets it. A connection that web ends is ended for the client, too. */
export function responseHeaders(response: IncomingMessage): string[] {
  const passed = endToEnd(response);
  if (closesConnection(response)) passed.push("Connection", "close");
  return passed;
}
