import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { onRequestHookHandler } from "fastify";

/**
 * How long a client may read nothing of a waiting response, ms. The kernel reports progress only
 * each time a third of its buffer has been sent, which may be megabytes.
 */
export const defaultSlowClientTimeoutMs = 180_000;

/**
 * Closes a connection whose client doesn't read its response, because file, buffers, and socket
 * would be held as long as it likes. The socket's own timeout, set on the server, fires when
 * nothing has been sent. A response that isn't ready, or a stream without news, isn't the client's
 * fault.
 */
export function closeOnSlowClient(response: ServerResponse): void {
  // With a listener, it is for that to end the connection.
  response.on("timeout", closeIfUnread);
}

function closeIfUnread(socket: Socket): void {
  if (socket.writableLength > 0) socket.destroy();
}

export const enforceSlowClientTimeout: onRequestHookHandler = (_request, reply, done) => {
  closeOnSlowClient(reply.raw);
  done();
};
