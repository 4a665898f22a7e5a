import { createReadStream } from "node:fs";
import type { Readable } from "node:stream";
import type { Dispatcher, FormData } from "undici";
import Agent from "undici/lib/dispatcher/agent.js";
import { AppError } from "../../../kit/errors.ts";
import { cleanText } from "../../../kit/text.ts";
import { request } from "../../../platform/http-request.ts";
import { checkedLookup } from "../../../platform/checked-fetch.ts";
import { assertLiteralAllowed } from "./address-check.ts";
import type { KindDependencies } from "./target-kind.ts";

export interface Call {
  method: "GET" | "POST" | "PUT" | "DELETE";
  url: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array | FormData;
  /** A file that is the body, with its size. */
  file?: { path: string; bytes: number };
  /** Statuses that are results besides 2xx. */
  expected?: readonly number[];
}

export interface Answer {
  status: number;
  text: string;
}

/** A client for one destination. */
export interface HttpClient {
  /** Makes a call, and again a few times if it fails for a reason that may pass. */
  call(call: Call): Promise<Answer>;
  /** Makes a call whose answer is JSON. */
  json(call: Call): Promise<unknown>;
  close(): Promise<void>;
}

/** What a response that isn't a success says; null if nothing readable. */
export type ExplainError = (answer: Answer) => string | null;

const maxAttempts = 4;
const firstPauseMs = 500;
/** A server that wants a longer pause gets it by a later attempt of the whole delivery. */
const maxPauseMs = 30_000;
const maxAnswerBytes = 8 * 1024 * 1024;
const timeoutMs = { connect: 15_000, headers: 120_000, body: 60_000 };

const passing = new Set([408, 425, 429, 500, 502, 503, 504]);

async function readText(body: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxAnswerBytes) throw new Error("The answer is too long.");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** The pause that a server asks for, in ms (RFC 9110, section 10.2.3); only seconds are used. */
function askedPause(headers: Dispatcher.ResponseData["headers"]): number {
  const seconds = Number(headers["retry-after"]);
  return Number.isFinite(seconds) ? Math.min(maxPauseMs, seconds * 1000) : 0;
}

/** A short text from another server, as a part of a sentence. */
export function quotable(text: string): string {
  return cleanText(text).slice(0, 200).replace(/\.$/, "");
}

/** What the other server's name is in a message, and how to read its errors. */
export interface HttpClientOptions {
  name: string;
  signal: AbortSignal;
  explain: ExplainError;
}

type AnswerWithPause = Answer & { pauseMs: number };

async function attempt(
  wanted: Call,
  { dispatcher, signal }: { dispatcher: Dispatcher; signal: AbortSignal },
): Promise<AnswerWithPause> {
  const { file, method } = wanted;
  const body = file === undefined ? (wanted.body ?? null) : createReadStream(file.path);
  const length = file !== undefined && { "content-length": String(file.bytes) };
  const response = await request(wanted.url, {
    method,
    headers: { "user-agent": "Vitrine", ...wanted.headers, ...length },
    body,
    dispatcher,
    signal,
  });
  const { statusCode: status, headers } = response;
  return { status, text: await readText(response.body), pauseMs: askedPause(headers) };
}

function refusal({ name, explain }: HttpClientOptions, answer: Answer): AppError {
  const why = explain(answer);
  const said = why === null ? `status ${answer.status}` : quotable(why);
  const isAboutKey = answer.status === 401 || answer.status === 403;
  const hint = isAboutKey ? " Check the key and its permissions." : "";
  const message = `${name} refused the request (${said}).${hint}`;
  return new AppError("upstream_failed", message, { details: { status: answer.status } });
}

function unreachable({ name }: HttpClientOptions, cause: unknown): AppError {
  if (cause instanceof AppError) return cause;
  const code = String((cause as { code?: unknown }).code ?? "no answer");
  const message = `${name} can't be reached (${quotable(code)}).`;
  return new AppError("upstream_failed", message, { cause });
}

/** A success, or why there is none and whether that may pass. */
type Outcome = { answer: Answer } | { failure: AppError; mayPass: boolean; pauseMs: number };

async function outcomeOf(
  wanted: Call,
  options: HttpClientOptions,
  dispatcher: Dispatcher,
): Promise<Outcome> {
  const { signal } = options;
  try {
    const answer = await attempt(wanted, { dispatcher, signal });
    const { status, pauseMs } = answer;
    const isFine = (status >= 200 && status < 300) || wanted.expected?.includes(status) === true;
    if (isFine) return { answer };
    return { failure: refusal(options, answer), mayPass: passing.has(status), pauseMs };
  } catch (error) {
    signal.throwIfAborted();
    const failure = unreachable(options, error);
    return { failure, mayPass: failure.code === "upstream_failed", pauseMs: 0 };
  }
}

/**
 * Opens a client that follows no redirects and connects to no forbidden address. Its errors are
 * `upstream_failed` with a sentence for the owner; an abort throws the signal's reason.
 */
export function openHttpClient(
  { random, pause, isForbidden }: KindDependencies,
  options: HttpClientOptions,
): HttpClient {
  const dispatcher = new Agent({
    connect: { lookup: checkedLookup(isForbidden), timeout: timeoutMs.connect },
    headersTimeout: timeoutMs.headers,
    bodyTimeout: timeoutMs.body,
    connections: 16,
  });

  async function send(wanted: Call): Promise<Answer> {
    assertLiteralAllowed(new URL(wanted.url).hostname, isForbidden);
    for (let attempts = 1; ; attempts += 1) {
      const outcome = await outcomeOf(wanted, options, dispatcher);
      if ("answer" in outcome) return outcome.answer;
      if (!outcome.mayPass || attempts >= maxAttempts) throw outcome.failure;
      const backoff = firstPauseMs * 2 ** (attempts - 1) * (0.5 + random());
      await pause(Math.max(outcome.pauseMs, backoff), options.signal);
    }
  }

  return {
    call: send,
    async json(wanted) {
      const { text } = await send(wanted);
      try {
        return JSON.parse(text) as unknown;
      } catch (cause) {
        const message = `${options.name} didn't answer with JSON.`;
        throw new AppError("upstream_failed", message, { cause });
      }
    },
    close: () => dispatcher.destroy(),
  };
}
