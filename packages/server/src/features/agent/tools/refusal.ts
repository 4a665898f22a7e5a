export type RefusalReason =
  | "outside"
  | "link"
  | "name"
  | "read_only"
  | "type"
  | "not_found"
  | "not_a_file"
  | "too_large"
  | "quota"
  | "exists"
  | "no_match"
  | "bad_input";

/**
 * A tool said no. The model is told why and the run goes on, so this is not an AppError:
 * it never becomes an answer to a request.
 */
export class ToolRefusal extends Error {
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = "ToolRefusal";
    this.reason = reason;
  }
}
