import type { Dispatcher } from "undici";
import type { FailurePhase } from "./crawl.ts";

export interface Failure {
  phase: FailurePhase;
  code: string;
  ms: number;
}

/**
 * One request and its response as transferred; redirects aren't followed, and nothing is
 * decompressed.
 */
export interface Exchanged {
  status: number | null;
  headers: Readonly<Record<string, string>>;
  body: Buffer;
  /** Whether the body was longer than the limit. */
  truncated: boolean;
  failure: Failure | null;
  firstByteMs: number;
  ms: number;
}

export interface ExchangeRequest {
  url: URL;
  method: "GET" | "HEAD" | "POST";
  headers: Record<string, string>;
  body?: string;
  /** The maximum of the body to read, in bytes, given the headers. */
  maxBytes: (headers: Readonly<Record<string, string>>) => number;
  /** The maximum for headers and for the body, in ms each. */
  phaseMs: number;
}

const nothing: Readonly<Record<string, string>> = Object.freeze({});
const empty = Buffer.alloc(0);

/** Headers of one name are joined with a line break: the only character that none can contain. */
function joined(headers: Record<string, unknown>): Readonly<Record<string, string>> {
  for (const name in headers) {
    const value = headers[name];
    if (Array.isArray(value)) headers[name] = value.join("\n");
  }
  return headers as Record<string, string>;
}

/** Why reading was ended on our side. */
class Ended extends Error {
  readonly phase: "headers" | "body" | "enough";
  constructor(phase: "headers" | "body" | "enough") {
    super(`ended in ${phase}`);
    this.phase = phase;
  }
}

/** The number of steps in which the time of a phase is counted. */
const steps = 20;
const phases = new Set<unknown>(["refused", "dns", "connect", "tls"]);

class Handler implements Dispatcher.DispatchHandler {
  #maxBytes = 0;
  readonly #maxBytesFor: ExchangeRequest["maxBytes"];
  readonly #phaseMs: number;
  readonly #done: (exchanged: Exchanged) => void;
  readonly #startedAt = performance.now();
  #timer: NodeJS.Timeout | undefined;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #status: number | null = null;
  #headers = nothing;
  #firstByteMs = 0;

  constructor(request: ExchangeRequest, done: (exchanged: Exchanged) => void) {
    this.#maxBytesFor = request.maxBytes;
    this.#phaseMs = request.phaseMs;
    this.#done = done;
  }

  /** Counts in small steps: if this process itself is busy, only one step counts. */
  #limit(
    controller: Dispatcher.DispatchController,
    phase: "headers" | "body",
    left = this.#phaseMs,
  ): void {
    clearTimeout(this.#timer);
    const step = Math.min(left, this.#phaseMs / steps);
    this.#timer = setTimeout(() => {
      if (left - step > 1) this.#limit(controller, phase, left - step);
      else controller.abort(new Ended(phase));
    }, step);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#limit(controller, "headers");
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return;
    this.#status = status;
    this.#headers = joined(headers);
    this.#maxBytes = this.#maxBytesFor(this.#headers);
    this.#firstByteMs = performance.now() - this.#startedAt;
    this.#limit(controller, "body");
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const room = this.#maxBytes - this.#bytes;
    this.#chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
    this.#bytes += Math.min(chunk.length, room);
    if (chunk.length > room) controller.abort(new Ended("enough"));
  }

  onResponseEnd(): void {
    this.#end(false, null);
  }

  onResponseError(_controller: unknown, error: Error): void {
    if (error instanceof Ended && error.phase === "enough") this.#end(true, null);
    else this.#end(false, this.#failureOf(error));
  }

  #failureOf(error: Error & { code?: unknown; phase?: unknown }): Failure {
    const ms = performance.now() - this.#startedAt;
    if (error instanceof Ended) {
      return { phase: error.phase === "headers" ? "headers" : "body", code: "ETIMEDOUT", ms };
    }
    const own = phases.has(error.phase) ? (error.phase as FailurePhase) : null;
    const phase = own ?? (this.#status === null ? "headers" : "body");
    return { phase, code: String(error.code ?? error.name), ms };
  }

  #end(truncated: boolean, failure: Failure | null): void {
    clearTimeout(this.#timer);
    const [first = empty] = this.#chunks;
    this.#done({
      status: this.#status,
      headers: this.#headers,
      body: this.#chunks.length < 2 ? first : Buffer.concat(this.#chunks, this.#bytes),
      truncated,
      failure,
      firstByteMs: this.#firstByteMs,
      ms: performance.now() - this.#startedAt,
    });
  }
}

/** Makes one request. Errors are returned in `failure`; nothing is thrown. */
export function exchange(dispatcher: Dispatcher, request: ExchangeRequest): Promise<Exchanged> {
  return new Promise((resolve) => {
    const handler = new Handler(request, resolve);
    const { url, method, headers, body } = request;
    try {
      dispatcher.dispatch(
        {
          origin: url.origin,
          path: url.pathname + url.search,
          method,
          headers,
          ...(body !== undefined && { body }),
        },
        handler,
      );
    } catch (error) {
      handler.onResponseError(null, error as Error);
    }
  });
}
