import type { IncomingMessage, ServerResponse } from "node:http";
import type { FailurePhase, Verdict } from "../../packages/qa/src/crawl/crawl.ts";

export interface TrapOrigins {
  own: string;
  ownPort: number;
  out: string;
  outPort: number;
  closed: string;
  good: string;
  expired: string;
  wrong: string;
  unsigned: string;
}

export type Responder = (request: IncomingMessage, response: ServerResponse, times: number) => void;

export interface Expected {
  /** `none`: not requested at all. */
  verdict: Verdict | "none";
  status?: number | null;
  phase?: FailurePhase;
  code?: string | RegExp;
  hops?: number;
  truncated?: boolean;
  sniffed?: string | null;
  attempts?: number;
}

export interface Trap {
  name: string;
  href: string;
  /** What is requested, if it isn't the address as written. */
  asks?: string;
  /** Instead of a link. */
  markup?: string;
  expected?: Expected;
  /** By path, or by path and query. */
  serve?: Record<string, Responder>;
}

export const pageOf = (body: string, head = ""): string =>
  `<!doctype html><html lang="en"><head><title>Traps</title>${head}</head><body><main>${body}</main></body></html>`;

export const sends =
  (status: number, headers: Record<string, string> = {}, body: string | Buffer = ""): Responder =>
  (_request, response) => {
    response
      .writeHead(status, { "content-type": "text/html; charset=utf-8", ...headers })
      .end(body);
  };
export const page = (body: string, head = "") => sends(200, {}, pageOf(body, head));
export const leads = (to: string, status = 302) => sends(status, { location: to });
/** Raw bytes on the connection. */
export const writes =
  (text: string | Buffer, end = true): Responder =>
  (request) => {
    request.socket.write(text);
    if (end) request.socket.end();
  };
export const hangs: Responder = () => {};
export const resets: Responder = (request) => request.socket.resetAndDestroy();
/** A different response to the first request. */
export const firstThen =
  (first: Responder, then: Responder): Responder =>
  (request, response, times) =>
    (times === 1 ? first : then)(request, response, times);

/** Writes until the client disconnects. */
export const goesOn =
  (start: string, piece: string, everyMs: number): Responder =>
  (request) => {
    const { socket } = request;
    socket.write(start);
    const timer = setInterval(() => socket.write(piece), everyMs);
    socket.on("close", () => clearInterval(timer));
  };

export const chain = (path: string, hops: number): Record<string, Responder> =>
  Object.fromEntries(
    Array.from({ length: hops }, (_, i) => [
      `${path}${i === 0 ? "" : i}`,
      i === hops - 1 ? page("The end") : leads(`${path}${i + 1}`),
    ]),
  );

export const ok = { verdict: "ok" } as const;
export const broken = { verdict: "broken" } as const;
export const unknown = { verdict: "unknown" } as const;
export const none = { verdict: "none" } as const;

/** A path with one response. */
export const one = (name: string, path: string, answerer: Responder, expected: Expected): Trap => ({
  name,
  href: path,
  serve: { [path]: answerer },
  expected,
});
