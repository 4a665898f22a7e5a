/**
 * Why a provider or a server hasn't accepted an email; the message is plain text without secrets.
 */
export class DeliveryError extends Error {
  /** It refuses this particular email and would do so again, so retrying is useless. */
  readonly isPermanent: boolean;
  /** How long to wait before retrying, ms. */
  readonly retryAfterMs: number;

  constructor(
    message: string,
    options: { refused?: boolean; retryAfterMs?: number; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = "NotTaken";
    this.isPermanent = options.refused ?? false;
    this.retryAfterMs = options.retryAfterMs ?? 0;
  }
}
