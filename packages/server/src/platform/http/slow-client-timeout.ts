import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { onRequestHookHandler } from "fastify";

/**
 * For so long a client may take nothing of an answer that waits for it, ms. Of a slow one the kernel
 * tells only each time that a third of what it holds has gone: megabytes, perhaps.
 */
export const defaultSlowClientTimeoutMs = 180_000;

/**
 * Ends a connection whose client takes nothing of its answer: file, buffers and socket would be held
 * for as long as it likes. The socket's own timeout, to be set on the server, tells when nothing has
 * moved on it. An answer that isn't there yet, or a stream with nothing new, is nobody's fault.
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
