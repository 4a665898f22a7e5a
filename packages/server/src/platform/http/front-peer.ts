import type { IncomingMessage, Server } from "node:http";
import { Socket } from "node:net";

/**
 * The header in which the front tells web the client's address; it never passes on a client's own.
 */
export const peerHeader = "x-vitrine-peer";

/** How long a response's connection stays open to read the rest of a refused body, in ms. */
const earlyResponseMs = 5000;

/**
 * Takes the peer of each request from the front's header: for a server on a Unix socket that only
 * the front can connect to. Everything that reads the socket's address uses it. A request without
 * the header is from an unknown, untrusted client. Call it before the server listens.
 */
export function trustFrontPeer(server: Server): void {
  server.prependListener("request", (request: IncomingMessage) => {
    const { headers, socket } = request;
    const peer = headers[peerHeader];
    delete headers[peerHeader];
    // A connection handles one request at a time.
    const value = typeof peer === "string" ? peer : "";
    Object.defineProperty(socket, "remoteAddress", { value, configurable: true });
    delayCloseUntilRead(request);
  });
}

/**
 * Node closes a connection right after a response that refuses the rest of a body. The front, which
 * is still writing, would fail before it has read the response, so the front closes it.
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
