import type { FastifyReply, FastifyRequest, onRequestHookHandler } from "fastify";
import { failure } from "../../kit/failure.ts";
import { AppError } from "../../kit/errors.ts";
import { hasBody } from "./proxy-headers.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** The body may take as long as bytes keep arriving, as for an upload. */
    slowBody?: boolean;
  }
}

export interface BodyTimeout {
  /** The whole body, ms. */
  totalMs: number;
  /** Silence during a slow body, ms. */
  idleMs: number;
}

export const defaultBodyTimeout: BodyTimeout = { totalMs: 30_000, idleMs: 30_000 };

const expired = new AppError(
  "request_timeout",
  "The request took too long to arrive. Send it again.",
);

/** Whoever waits for the rest of the body is told that it won't arrive, and the client why. */
function expire({ raw }: FastifyRequest, reply: FastifyReply): void {
  const { socket } = raw;
  if (reply.raw.headersSent || !socket.writable) {
    socket.destroy();
    return;
  }
  const body = JSON.stringify(failure(expired));
  const headers = {
    ...reply.getHeaders(),
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(body),
    "cache-control": "no-store",
    connection: "close",
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}`);
  const head = [`HTTP/1.1 ${expired.status} Request Timeout`, ...lines].join("\r\n");
  socket.end(`${head}\r\n\r\n${body}`, () => socket.destroy());
}

/**
 * Limits the time in which a request's body arrives. Node's own limit is the same for all requests,
 * but uploads over a slow line take longer than other bodies should.
 */
export function enforceBodyTimeout(time: BodyTimeout): onRequestHookHandler {
  return (request, reply, done) => {
    const { raw } = request;
    if (!hasBody(raw)) {
      done();
      return;
    }
    const slow = request.routeOptions.config.slowBody === true;
    let seen = -1;
    const judge = () => {
      if (raw.complete || raw.destroyed || reply.raw.writableEnded) return;
      const { bytesRead } = raw.socket;
      if (!slow || bytesRead === seen) {
        expire(request, reply);
        return;
      }
      seen = bytesRead;
      timer = setTimeout(check, time.idleMs).unref();
    };
    // Bytes that arrived while this process was busy are read before the timeout is evaluated.
    const check = () => void setImmediate(judge);
    let timer = setTimeout(check, slow ? time.idleMs : time.totalMs).unref();
    raw.once("close", () => clearTimeout(timer));
    reply.raw.once("close", () => clearTimeout(timer));
    done();
  };
}
