import type { SignInMethods } from "../../../server/src/features/admin-auth/password/schema.ts";
import type { Failure, Success } from "./types.ts";

export type Query = Readonly<Record<string, string | number | boolean | null | undefined>>;

export interface ApiErrorOptions {
  fields?: Readonly<Record<string, string>>;
  details?: unknown;
  /** Seconds to wait before retrying, according to the server; null if unknown. */
  retryAfter?: number | null;
}

/**
 * An error from the server with its message. `offline` (status 0) means no response,
 * `unauthenticated` that the owner didn't sign in again.
 */
export class ApiError extends Error {
  readonly code: string;
  readonly status: number;
  /** Errors by field name. */
  readonly fields: Readonly<Record<string, string>>;
  readonly details: unknown;
  readonly retryAfter: number | null;

  constructor(code: string, message: string, status = 0, options: ApiErrorOptions = {}) {
    super(message);
    this.name = "ApiError";
    this.code = code;
    this.status = status;
    this.fields = options.fields ?? {};
    this.details = options.details ?? null;
    this.retryAfter = options.retryAfter ?? null;
  }
}

/** A response with the ETag to send next time. */
export interface Changed<T> {
  data: T;
  etag: string | null;
}

export interface OpenOptions {
  signal: AbortSignal;
  /** The ID of the last event seen; '' for all of them. */
  lastEventId?: string;
  body?: object;
}

export interface Client {
  /** GETs `path`; empty query values are left out. */
  get<T>(path: string, query?: Query, signal?: AbortSignal): Promise<T>;
  /** GETs `path` unless it still has this ETag; null if it has. */
  getChanged<T>(
    path: string,
    etag: string | null,
    signal?: AbortSignal,
  ): Promise<Changed<T> | null>;
  /**
   * Opens the event stream at `path`, after an event, or with a body, the stream that it requests.
   */
  open(path: string, options: OpenOptions): Promise<Response>;
  /** POSTs a JSON body and returns the response's data. */
  post<T>(path: string, body: object, signal?: AbortSignal): Promise<T>;
  /** Asks the owner to sign in again; rejects with `unauthenticated` if they don't. */
  signIn(): Promise<void>;
}

/** The code for a change that wasn't repeated after signing in again. */
export const sessionEnded = "session_ended";

const unreachable =
  "Couldn’t reach the server. Check your connection and try again. Your work is kept.";
const statusWithoutMessage: Readonly<Record<number, string>> = {
  413: "This is too large for the server. Make it smaller and try again.",
  502: "The server isn’t responding right now. Try again in a moment.",
  503: "The server is busy right now. Try again in a moment.",
  504: "The server took too long to respond. Try again.",
};

/** The seconds in a Retry-After header: a number or a date (RFC 9110, 10.2.3). */
export function retryAfterSeconds(header: string | null, nowMs: number): number | null {
  if (header === null || header.trim() === "") return null;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return Math.max(0, seconds);
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - nowMs) / 1000));
}

/** Parses a response: returns the envelope's data or throws its error. */
export function readAnswer<T>(status: number, text: string, retryAfter: number | null): T {
  let body: Success<T> | Failure | null = null;
  try {
    body = JSON.parse(text) as Success<T> | Failure;
  } catch {
    // A proxy may respond with its own page; then only the status is known.
  }
  if (status >= 200 && status < 300 && body?.ok === true) return body.data;
  const error = body?.ok === false ? body.error : undefined;
  if (typeof error?.message === "string") {
    const { code, message, fields, details } = error;
    throw new ApiError(code, message, status, {
      ...(fields && { fields }),
      details,
      retryAfter,
    });
  }
  const code = status === 401 ? "unauthenticated" : "internal";
  const words =
    statusWithoutMessage[status] ??
    `The server responded with status ${status} and no explanation. Try again in a moment.`;
  throw new ApiError(code, words, status, { retryAfter });
}

/** An address with its query; empty values are left out. */
export function withQuery(path: string, query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    if (value === undefined || value === null || value === "") continue;
    search.set(key, String(value));
  }
  const text = search.toString();
  return text === "" ? path : `${path}?${text}`;
}

/** Converts any failure to an error that can be shown. */
export function asApiError(cause: unknown): ApiError {
  if (cause instanceof ApiError) return cause;
  return new ApiError(
    "internal",
    "Something went wrong on this page. Reload it and try again.",
    0,
    { details: cause },
  );
}

/** Sends one request and returns its response. */
async function fetchOnce(
  fetch: typeof globalThis.fetch,
  address: string,
  init: RequestInit,
): Promise<Response> {
  try {
    return await fetch(address, { credentials: "same-origin", cache: "no-store", ...init });
  } catch (cause) {
    if ((cause as Error).name === "AbortError") throw cause;
    throw new ApiError("offline", unreachable);
  }
}

/** Returns a response's data or throws its error. */
async function readResponse<T>(response: Response): Promise<T> {
  let text: string;
  try {
    text = await response.text();
  } catch (cause) {
    if ((cause as Error).name === "AbortError") throw cause;
    throw new ApiError("offline", unreachable);
  }
  const retryAfter = retryAfterSeconds(response.headers.get("retry-after"), Date.now());
  return readAnswer<T>(response.status, text, retryAfter);
}

/** Signs in with the admin password; throws the server's error. */
export async function logIn(fetch: typeof globalThis.fetch, password: string): Promise<void> {
  await readResponse(
    await fetchOnce(fetch, "/api/adminauth/login", changeRequest({ password }, undefined)),
  );
}

/** Whether the admin can sign in with a password; true if unknown. */
export async function hasPassword(fetch: typeof globalThis.fetch): Promise<boolean> {
  try {
    const response = await fetchOnce(fetch, "/api/adminauth/methods", {});
    return (await readResponse<SignInMethods>(response)).password;
  } catch {
    return true;
  }
}

function changeRequest(body: object, signal: AbortSignal | undefined): RequestInit {
  return {
    method: "POST",
    headers: { accept: "application/json", "content-type": "application/json" },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  };
}

/**
 * The product's API for pages. If the session has ended, `signIn` is called once for all waiting
 * calls, which then continue.
 */
export function makeClient(options: {
  fetch: typeof globalThis.fetch;
  signIn(): Promise<void>;
  /** Whether to repeat a change after signing in again; otherwise it is refused. */
  repeatsChanges?: boolean;
}): Client {
  let renewal: Promise<void> | null = null;
  const signIn = (): Promise<void> => {
    renewal ??= options.signIn().finally(() => {
      renewal = null;
    });
    return renewal;
  };

  async function ask(address: string, init: RequestInit): Promise<Response> {
    for (;;) {
      const response = await fetchOnce(options.fetch, address, init);
      if (response.status !== 401) return response;
      await signIn();
    }
  }

  const send = async <T>(address: string, init: RequestInit): Promise<T> =>
    readResponse<T>(await ask(address, init));

  return {
    get: (path, query, signal) =>
      send(withQuery(path, query), {
        headers: { accept: "application/json" },
        ...(signal && { signal }),
      }),
    async getChanged<T>(path: string, etag: string | null, signal?: AbortSignal) {
      const response = await ask(path, {
        headers: { accept: "application/json", ...(etag !== null && { "if-none-match": etag }) },
        ...(signal && { signal }),
      });
      if (response.status === 304) return null;
      return { data: await readResponse<T>(response), etag: response.headers.get("etag") };
    },
    async open(path, { signal, lastEventId = "", body }) {
      const response = await ask(path, {
        signal,
        ...(body && { method: "POST", body: JSON.stringify(body) }),
        headers: {
          accept: "text/event-stream",
          ...(body && { "content-type": "application/json" }),
          ...(lastEventId !== "" && { "last-event-id": lastEventId }),
        },
      });
      return response.ok ? response : readResponse(response);
    },
    async post<T>(path: string, body: object, signal?: AbortSignal) {
      const init = changeRequest(body, signal);
      if (options.repeatsChanges ?? true) return send<T>(path, init);
      const response = await fetchOnce(options.fetch, path, init);
      if (response.status !== 401) return readResponse<T>(response);
      signIn().catch(() => {});
      throw new ApiError(sessionEnded, "Your session has ended. Your text is kept.", 401);
    },
    signIn,
  };
}
