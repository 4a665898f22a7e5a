/** Why a provider or a server has not taken an email; the message is in plain words, without secrets. */
export class DeliveryError extends Error {
  /** It refuses this very mail, and will the next time: asking again is of no use. */
  readonly isPermanent: boolean;
  /** How long it wants not to be asked again, ms. */
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
