/** Every error code with its HTTP status. */
export const errorStatus = {
  malformed_json: 400,
  bad_request: 400,
  bad_token: 400,
  unauthenticated: 401,
  invalid_credentials: 401,
  forbidden: 403,
  bad_origin: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  stale_version: 409,
  invalid_state: 409,
  conflict: 409,
  dirty_tree: 409,
  private_text: 409,
  in_use: 409,
  already_exists: 409,
  locked: 409,
  too_large: 413,
  unsupported_media_type: 415,
  validation_failed: 422,
  bad_media: 422,
  throttled: 429,
  headers_too_large: 431,
  internal: 500,
  upstream_failed: 502,
  unavailable: 503,
  model_not_configured: 503,
  disk_full: 507,
} as const;

export type ErrorCode = keyof typeof errorStatus;

export interface AppErrorOptions {
  /** Path of an input field → what is wrong with it. */
  fields?: Record<string, string>;
  /** Machine-readable details for the caller. */
  details?: unknown;
  /** Headers of the response, such as Retry-After. */
  headers?: Record<string, string>;
  cause?: unknown;
}

/**
 * An expected failure: a code from the contract and a sentence for the reader. Only the HTTP
 * servers and the command line convert it to responses.
 */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly fields: Record<string, string> | undefined;
  readonly details: unknown;
  readonly headers: Record<string, string> | undefined;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "AppError";
    this.code = code;
    this.fields = options.fields;
    this.details = options.details;
    this.headers = options.headers;
  }

  get status(): number {
    return errorStatus[this.code];
  }
}

/** The system's codes, and PostgreSQL's. */
const diskFullCodes = new Set(["ENOSPC", "EDQUOT", "53100"]);
const sqliteFull = 13;

/** Whether an error, or one of its causes, says that the disk is full (ENOSPC, EDQUOT, SQLITE_FULL, 53100). */
export function isDiskFull(error: unknown): boolean {
  for (let e = error; e instanceof Error; e = e.cause) {
    const { code, errcode } = e as { code?: unknown; errcode?: unknown };
    if (typeof code === "string" && diskFullCodes.has(code)) return true;
    if (errcode === sqliteFull) return true;
  }
  return false;
}

/** Whether the process or the system can't open any more files, which include sockets and pipes. */
function isOutOfFiles(error: unknown): boolean {
  for (let e = error; e instanceof Error; e = e.cause) {
    const { code } = e as { code?: unknown };
    if (code === "EMFILE" || code === "ENFILE") return true;
  }
  return false;
}

/** SQLite's primary codes for a file that can't be read or written now: busy, locked, read-only, I/O, open. */
const sqliteUnavailable = new Set([5, 6, 8, 10, 14]);
/**
 * SQLSTATE classes (PostgreSQL, appendix A): connection, server shutting down or starting, too many
 * connections.
 */
const sqlStateUnavailable = /^(08...|57P0[1235]|53300)$/;
/** A server that can't be reached, or has hung up. */
const connectionCodes = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ECONNABORTED",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "EHOSTDOWN",
  "ENETUNREACH",
  "ENETDOWN",
  "ENOTFOUND",
  "EAI_AGAIN",
]);
/** Messages of pg for a broken connection, which have no code. */
const brokenConnection =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Client (?:has encountered a connection error|was closed) and is not queryable)/;

/**
 * Whether an error, or one of its causes, means that the database can't be reached or written to at
 * the moment.
 */
function isDatabaseUnavailable(error: unknown): boolean {
  for (let e = error; e instanceof Error; e = e.cause) {
    const { code, errcode } = e as { code?: unknown; errcode?: unknown };
    if (typeof errcode === "number" && sqliteUnavailable.has(errcode % 256)) return true;
    if (typeof code === "string" && sqlStateUnavailable.test(code)) return true;
    if (typeof code === "string" && connectionCodes.has(code)) return true;
    if (brokenConnection.test(e.message)) return true;
  }
  return false;
}

/** The error itself if it is expected, otherwise an AppError that can be shown instead. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (isDiskFull(error)) {
    return new AppError(
      "disk_full",
      "The disk is full. Nothing was written. Free some space and try again.",
      { cause: error },
    );
  }
  if (isOutOfFiles(error)) {
    const headers = { "retry-after": "5" };
    const message = "The server is busy. Try again in a moment.";
    return new AppError("unavailable", message, { headers, cause: error });
  }
  if (isDatabaseUnavailable(error)) {
    const headers = { "retry-after": "5" };
    const message = "The database can't be reached right now. Try again in a moment.";
    return new AppError("unavailable", message, { headers, cause: error });
  }
  return new AppError("internal", "Something went wrong on the server. Try again in a moment.", {
    cause: error,
  });
}
