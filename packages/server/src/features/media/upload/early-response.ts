import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";

/** How much of a refused body is still read and discarded: bytes and ms. */
const maxDiscardedBytes = 16 * 1024 * 1024;
const maxWaitMs = 5000;

/**
 * Sends a response and keeps the connection open until the client has stopped sending, has left, or
 * a time limit is reached. Many clients read the response only after sending everything, and
 * closing a connection with unread bytes resets it, which can lose the response.
 */
function respondAndDiscardBody(request: FastifyRequest, body: string | Uint8Array): Readable {
  const { raw } = request;
  let discarded = 0;
  let ended = false;
  const end = () => {
    if (!ended && !response.destroyed) response.push(null);
    ended = true;
  };
  const timer = setTimeout(end, maxWaitMs).unref();
  const response = new Readable({
    read() {},
    destroy(error, done) {
      clearTimeout(timer);
      done(error);
    },
  });
  response.push(body);
  raw.on("data", (chunk: Buffer) => {
    discarded += chunk.length;
    if (discarded > maxDiscardedBytes) end();
  });
  raw.once("end", end);
  raw.once("close", end);
  raw.resume();
  return response;
}

/**
 * `onSend` hook of routes with large bodies. A response before the end of the body closes the
 * connection, so that the rest is never received.
 */
export async function respondEarly(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): Promise<unknown> {
  const { raw } = request;
  if (raw.complete || request.method === "HEAD") return payload;
  const body = typeof payload === "string" || payload instanceof Uint8Array ? payload : "";
  raw.unpipe();
  reply.headers({ connection: "close", "content-length": String(Buffer.byteLength(body)) });
  return respondAndDiscardBody(request, body);
}
