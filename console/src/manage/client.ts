import type { Failure, Success } from "./types.ts";

export type Query = Readonly<Record<string, string | number | boolean | null | undefined>>;

export interface ClientErrorOptions {
  fields?: Readonly<Record<string, string>>;
  details?: unknown;
  /** Seconds that the server asks to wait before trying again; null when it says nothing. */
  retryAfter?: number | null;
}

/**
 * A refusal of the server in its own words. `offline` (status 0) stands for no answer at all,
 * `unauthenticated` for an owner who did not sign in again.
 */
export class ClientError extends Error {
  readonly code: string;
  readonly status: number;
  /** What is wrong, by the name of the field. */
  readonly fields: Readonly<Record<string, string>>;
  readonly details: unknown;
  readonly retryAfter: number | null;

  constructor(code: string, message: string, status = 0, options: ClientErrorOptions = {}) {
    super(message);
    this.name = "ClientError";
    this.code = code;
    this.status = status;
    this.fields = options.fields ?? {};
    this.details = options.details ?? null;
    this.retryAfter = options.retryAfter ?? null;
  }
}

/** What is at an address, and the ETag to ask with the next time. */
export interface Changed<T> {
  data: T;
  etag: string | null;
}

export interface Client {
  /** Asks for what is at `path`; keys of the query that are empty are left out. */
  get<T>(path: string, query?: Query, signal?: AbortSignal): Promise<T>;
  /** Asks for what is at `path` unless it still has this ETag; null where it has. */
  getChanged<T>(
    path: string,
    etag: string | null,
    signal?: AbortSignal,
  ): Promise<Changed<T> | null>;
  /** Sends a JSON body and gives what the answer carries. */
  post<T>(path: string, body: object, signal?: AbortSignal): Promise<T>;
  /** Lets the owner sign in again over the page; rejects with `unauthenticated` when they don't. */
  signIn(): Promise<void>;
}

const unreachable = "The server can’t be reached. What you have here is kept.";
const wordless: Readonly<Record<number, string>> = {
  413: "The server refuses this much at once.",
  502: "The server is not answering just now.",
  503: "The server is busy just now.",
  504: "The server took too long.",
};

/** The seconds that a Retry-After header asks for: a number or a date (RFC 9110, 10.2.3). */
export function retryAfterSeconds(header: string | null, nowMs: number): number | null {
  if (header === null || header.trim() === "") return null;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return Math.max(0, seconds);
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - nowMs) / 1000));
}

/** Reads an answer's text: the data of the envelope, or the refusal as it is to be thrown. */
export function readAnswer<T>(status: number, text: string, retryAfter: number | null): T {
  let body: Success<T> | Failure | null = null;
  try {
    body = JSON.parse(text) as Success<T> | Failure;
  } catch {
    // A proxy in between answers with its own page; the status then has to do.
  }
  if (status >= 200 && status < 300 && body?.ok === true) return body.data;
  const error = body?.ok === false ? body.error : undefined;
  if (typeof error?.message === "string") {
    const { code, message, fields, details } = error;
    throw new ClientError(code, message, status, {
      ...(fields && { fields }),
      details,
      retryAfter,
    });
  }
  const code = status === 401 ? "unauthenticated" : "internal";
  const words = wordless[status] ?? `The server answered ${status} without an explanation.`;
  throw new ClientError(code, words, status, { retryAfter });
}

/** An address with its query; what is empty is left out. */
export function withQuery(path: string, query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    if (value === undefined || value === null || value === "") continue;
    search.set(key, String(value));
  }
  const text = search.toString();
  return text === "" ? path : `${path}?${text}`;
}

/** The server's words about a field, which go on from its name, as a sentence of their own. */
export function sentence(words: string): string {
  const text = words.charAt(0).toUpperCase() + words.slice(1);
  return text === "" || /[.!?…]$/.test(text) ? text : `${text}.`;
}

/** What is wrong with some fields as sentences that say which; `labels` are what a page calls them. */
export function namedSentences(
  fields: Readonly<Record<string, string>>,
  labels: Readonly<Record<string, string>>,
): string[] {
  return Object.entries(fields).map(([name, words]) =>
    sentence(`${labels[name] ?? name} ${words}`),
  );
}

/** What is wrong with a field as a sentence; null where nothing is. */
export function fieldSentence(words: string | undefined): string | null {
  return words ? sentence(words) : null;
}

/** Any failure as one that can be shown. */
export function asClientError(cause: unknown): ClientError {
  if (cause instanceof ClientError) return cause;
  return new ClientError("internal", "Something went wrong on this page.", 0, { details: cause });
}

/** One request: what its answer carries, or null where that is as it was. */
async function fetchOnce<T>(
  fetch: typeof globalThis.fetch,
  address: string,
  init: RequestInit,
): Promise<Changed<T> | null> {
  let response: Response;
  let text: string;
  try {
    response = await fetch(address, {
      credentials: "same-origin",
      cache: "no-store",
      ...init,
    });
    text = await response.text();
  } catch (cause) {
    if ((cause as Error).name === "AbortError") throw cause;
    throw new ClientError("offline", unreachable);
  }
  const { status, headers } = response;
  if (status === 304) return null;
  const retryAfter = retryAfterSeconds(headers.get("retry-after"), Date.now());
  return { data: readAnswer<T>(status, text, retryAfter), etag: headers.get("etag") };
}

/**
 * The product's API for the pages. Where the session has ended, `signIn` is asked for once,
 * whatever the number of calls that wait, and then each call goes on as if nothing had been.
 */
export function makeClient(options: {
  fetch: typeof globalThis.fetch;
  signIn(): Promise<void>;
}): Client {
  let renewal: Promise<void> | null = null;
  const signIn = (): Promise<void> => {
    renewal ??= options.signIn().finally(() => {
      renewal = null;
    });
    return renewal;
  };

  async function ask<T>(address: string, init: RequestInit): Promise<Changed<T> | null> {
    for (;;) {
      try {
        return await fetchOnce<T>(options.fetch, address, init);
      } catch (error) {
        if (!(error instanceof ClientError) || error.status !== 401) throw error;
      }
      await signIn();
    }
  }

  async function send<T>(address: string, init: RequestInit): Promise<T> {
    const answer = await ask<T>(address, init);
    if (answer) return answer.data;
    throw new ClientError("internal", "The server’s answer can’t be understood.", 304);
  }

  return {
    get: (path, query, signal) =>
      send(withQuery(path, query), {
        headers: { accept: "application/json" },
        ...(signal && { signal }),
      }),
    getChanged: (path, etag, signal) =>
      ask(path, {
        headers: { accept: "application/json", ...(etag !== null && { "if-none-match": etag }) },
        ...(signal && { signal }),
      }),
    post: (path, body, signal) =>
      send(path, {
        method: "POST",
        headers: { accept: "application/json", "content-type": "application/json" },
        body: JSON.stringify(body),
        ...(signal && { signal }),
      }),
    signIn,
  };
}
