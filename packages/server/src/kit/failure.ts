import type { AppError } from "./errors.ts";

export interface Failure {
  ok: false;
  data: null;
  error: {
    code: string;
    message: string;
    fields?: Record<string, string>;
    details?: unknown;
  };
}

/** Wraps an error in the envelope; `errorId` identifies the details in the log. */
export function failure(error: AppError, errorId?: string): Failure {
  const details = errorId === undefined ? error.details : { errorId };
  return {
    ok: false,
    data: null,
    error: {
      code: error.code,
      message: error.message,
      ...(error.fields ? { fields: error.fields } : {}),
      ...(details === undefined ? {} : { details }),
    },
  };
}
