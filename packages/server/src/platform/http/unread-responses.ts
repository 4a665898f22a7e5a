import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";

export interface UnreadLimits {
  /** Bytes of unread responses, of all connections together. */
  maxBytes: number;
  /** Maximum requests per connection that are handled at once: HTTP/1.1 allows pipelining. */
  maxPipelined: number;
}

export const defaultUnreadLimits: UnreadLimits = { maxBytes: 64 * 1024 * 1024, maxPipelined: 16 };

/** What one connection has requested but not yet read. */
interface Backlog {
  socket: Socket;
  answers: number;
  bytes: number;
}

export interface UnreadResponses {
  /**
   * Counts a new response of a connection. False if there are too many: the connection is closed,
   * and the request must not be handled.
   */
  start(socket: Socket, response: ServerResponse): boolean;
  /** Counts the bytes of a response's body, once per response and after `start`. */
  addBytes(socket: Socket, response: ServerResponse, bytes: number): void;
}

/**
 * Limits the memory used by unread responses: a connection with too many pipelined requests is
 * closed, and if all unread responses exceed the limit, the connections that have waited longest
 * are closed. Files are streamed from disk, so they don't count.
 */
export function trackUnreadResponses({
  maxBytes,
  maxPipelined,
}: UnreadLimits = defaultUnreadLimits): UnreadResponses {
  const backlogs = new WeakMap<Socket, Backlog>();
  /** Those with bytes, oldest first. */
  const waiting = new Set<Backlog>();
  /** The bytes of unread responses. */
  const sizes = new WeakMap<ServerResponse, number>();
  let total = 0;

  function take(backlog: Backlog, bytes: number): void {
    backlog.bytes -= bytes;
    total -= bytes;
    if (backlog.bytes === 0) waiting.delete(backlog);
  }

  function backlogOf(socket: Socket): Backlog {
    const known = backlogs.get(socket);
    if (known) return known;
    const backlog = { socket, answers: 0, bytes: 0 };
    backlogs.set(socket, backlog);
    // A response queued behind another one isn't notified when its connection closes.
    socket.once("close", () => take(backlog, backlog.bytes));
    return backlog;
  }

  function closeOldest(): void {
    for (const backlog of waiting) {
      if (total <= maxBytes) return;
      backlog.socket.destroy();
      take(backlog, backlog.bytes);
    }
  }

  function end(this: ServerResponse): void {
    const { socket } = this.req;
    const backlog = backlogOf(socket);
    backlog.answers -= 1;
    const bytes = backlog.bytes === 0 ? 0 : (sizes.get(this) ?? 0);
    if (bytes > 0 && !socket.destroyed) take(backlog, Math.min(bytes, backlog.bytes));
  }

  return {
    start(socket, response) {
      const backlog = backlogOf(socket);
      backlog.answers += 1;
      response.on("close", end);
      if (backlog.answers <= maxPipelined) return true;
      // Requests read together with it, and later ones, aren't handled either.
      socket.destroy();
      return false;
    },
    addBytes(socket, response, bytes) {
      // An answer that the system has taken as a whole doesn't wait.
      if (bytes === 0 || socket.destroyed || response.writableFinished) return;
      const backlog = backlogOf(socket);
      sizes.set(response, bytes);
      backlog.bytes += bytes;
      total += bytes;
      waiting.add(backlog);
      if (total > maxBytes) closeOldest();
    },
  };
}

/** Limits the unread responses of a Fastify server. */
export function limitUnreadResponses(
  app: Pick<FastifyInstance, "addHook">,
  unread: UnreadResponses,
): void {
  app.addHook("onRequest", (request, reply, done) => {
    if (!unread.start(request.raw.socket, reply.raw)) reply.hijack();
    done();
  });
  app.addHook("onSend", (request, reply, payload, done) => {
    const bytes =
      typeof payload === "string" || Buffer.isBuffer(payload) ? Buffer.byteLength(payload) : 0;
    unread.addBytes(request.raw.socket, reply.raw, bytes);
    done(null, payload);
  });
}
