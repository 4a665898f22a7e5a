import type { IncomingMessage, Server } from "node:http";
import { Socket } from "node:net";

/** How the front tells web which address a request came from. It never passes on a client's own. */
export const peerHeader = "x-vitrine-peer";

/** How long an answer's connection stays open for the rest of a body that nobody wants, in ms. */
const earlyResponseMs = 5000;

/**
 * Takes the front's word for the peer of each request: for a server on a Unix socket that only the front
 * can connect to. Everything that asks for the socket's address, and for proxies behind it, goes by that.
 * A request without it comes from an unknown client, whom nothing trusts. Call it before the server listens.
 */
export function trustFrontPeer(server: Server): void {
  server.prependListener("request", (request: IncomingMessage) => {
    const { headers, socket } = request;
    const peer = headers[peerHeader];
    delete headers[peerHeader];
    // A connection carries one request at a time.
    const value = typeof peer === "string" ? peer : "";
    Object.defineProperty(socket, "remoteAddress", { value, configurable: true });
    delayCloseUntilRead(request);
  });
}

/**
 * Node closes a connection right after an answer that refuses the rest of a body. The front, still writing,
 * would fail before it has read the answer: it is the one to close.
 */
function delayCloseUntilRead(request: IncomingMessage): void {
  const { socket } = request;
  const close = Socket.prototype.destroySoon;
  socket.destroySoon = () => {
    if (request.complete) return close.call(socket);
    socket.end();
    const timer = setTimeout(() => socket.destroy(), earlyResponseMs);
    socket.once("close", () => clearTimeout(timer));
    return undefined;
  };
}
