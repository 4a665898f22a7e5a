import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";

/** What is still read, and thrown away, of a body that was refused: bytes, and ms. */
const maxDiscardedBytes = 16 * 1024 * 1024;
const maxWaitMs = 5000;

/**
 * An answer that stays open until the client has stopped sending, has gone, or had its time. Many
 * clients read the answer only after they have sent everything, and a connection that is closed
 * over unread bytes is reset, which may take the answer with it.
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
 * A hook for `onSend` of routes that take large bodies. An answer that comes before the body's end
 * closes the connection, so that the rest is never received.
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
