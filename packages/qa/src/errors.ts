/** Why a QA run failed, for programs. */
export type QaErrorCode =
  /** A file or option that the caller gave can't be used; `fields` says which one and why. */
  | "validation_failed"
  /** The site can't be reached, or the run took longer than its limits allow. */
  | "upstream_failed"
  /** The run was stopped, or the machine has too few resources at the moment. */
  | "unavailable"
  | "disk_full"
  | "internal";

export interface QaErrorOptions {
  /** Option → what is wrong with it. */
  fields?: Record<string, string>;
  details?: unknown;
  cause?: unknown;
}

/** A failure that callers can expect: a code for programs and a sentence for people. */
export class QaError extends Error {
  readonly code: QaErrorCode;
  readonly fields: Record<string, string> | undefined;
  readonly details: unknown;

  constructor(code: QaErrorCode, message: string, options: QaErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "QaError";
    this.code = code;
    this.fields = options.fields;
    this.details = options.details;
  }
}

/**
 * The system's codes for a full disk, and for too many open files, which include sockets and pipes.
 */
const diskFull = new Set(["ENOSPC", "EDQUOT"]);
const outOfFiles = new Set(["EMFILE", "ENFILE"]);

function hasCode(error: unknown, codes: ReadonlySet<string>): boolean {
  for (let e = error; e instanceof Error; e = e.cause) {
    const { code } = e as { code?: unknown };
    if (typeof code === "string" && codes.has(code)) return true;
  }
  return false;
}

/** Returns an expected error as it is, and wraps any other in a QaError. */
export function toQaError(cause: unknown): QaError {
  if (cause instanceof QaError) return cause;
  if (hasCode(cause, diskFull)) return new QaError("disk_full", "The disk is full.", { cause });
  if (hasCode(cause, outOfFiles)) {
    const message = "The machine has too many open files. Try again in a moment.";
    return new QaError("unavailable", message, { cause });
  }
  return new QaError("internal", "Something went wrong in the QA engine.", { cause });
}
