import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";

export interface UnreadLimits {
  /** Bytes of answers that wait for their clients, of all connections together. */
  maxBytes: number;
  /** Requests of one connection that are answered at once: HTTP/1.1 lets a client send ahead. */
  maxPipelined: number;
}

export const defaultUnreadLimits: UnreadLimits = { maxBytes: 64 * 1024 * 1024, maxPipelined: 16 };

/** What one connection has asked for and not yet taken. */
interface Backlog {
  socket: Socket;
  answers: number;
  bytes: number;
}

export interface UnreadResponses {
  /**
   * Counts an answer that its connection now asks for. False where those are too many: the connection is
   * closed then, and the request not to be answered.
   */
  start(socket: Socket, response: ServerResponse): boolean;
  /** Counts the bytes of an answer's body, which wait from now on. Call it after `start`, once an answer. */
  addBytes(socket: Socket, response: ServerResponse, bytes: number): void;
}

/**
 * Bounds what answers take in memory that nobody reads: a connection with too many requests ahead of
 * its answers is closed, and where all answers that wait are too much, those connections are closed
 * that have waited the longest. Files are streamed and wait on the disk, so they don't count.
 */
export function trackUnreadResponses({
  maxBytes,
  maxPipelined,
}: UnreadLimits = defaultUnreadLimits): UnreadResponses {
  const backlogs = new WeakMap<Socket, Backlog>();
  /** Those with bytes, the oldest first. */
  const waiting = new Set<Backlog>();
  /** The bytes of answers whose connection is still to take them. */
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
    // Answers that wait behind another one are not told that their connection has gone.
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
      // Those that were read with it, and come after it, get no work done either.
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

/** Bounds the unread answers of a Fastify server. */
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
