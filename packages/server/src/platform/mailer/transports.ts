import type { Log } from "../log.ts";
import { sendByHttp } from "./http-transport.ts";
import type { Email, EmailTransports } from "./email.ts";
import { DeliveryError } from "./delivery-error.ts";
import { sendBySmtp } from "./smtp-transport.ts";

/** The result of one attempt to send an email. */
export interface DeliveryAttempt {
  /** What accepted it; null if nothing did. */
  transport: "http" | "smtp" | null;
  /** Why earlier transports, or all of them, haven't accepted it. */
  failures: string[];
  /** Nothing accepted it, and all transports refuse this particular email. */
  isPermanent: boolean;
  /** No transport is configured. */
  hasNoTransport: boolean;
  /** How long to wait before retrying, ms. */
  retryAfterMs: number;
}

export interface TransportsOptions {
  /** How email is sent now; null if nothing is configured. */
  transports: () => Promise<EmailTransports | null>;
  log: Log;
  fetch: typeof globalThis.fetch;
}

type Transport = { name: "http" | "smtp"; send: () => Promise<void> };

function transportsOf(
  set: EmailTransports,
  email: Email,
  fetch: typeof globalThis.fetch,
  signal: AbortSignal,
) {
  const { http, smtp, from } = set;
  const transports: Transport[] = [];
  if (http)
    transports.push({ name: "http", send: () => sendByHttp(http, from, email, { fetch, signal }) });
  if (smtp) transports.push({ name: "smtp", send: () => sendBySmtp(smtp, from, email, signal) });
  return transports;
}

/**
 * Makes one attempt to send an email: with the provider's HTTP API, then with SMTP. Never throws.
 */
export async function attemptDelivery(
  options: TransportsOptions,
  email: Email,
  signal: AbortSignal,
): Promise<DeliveryAttempt> {
  const { log } = options;
  const failures: string[] = [];
  let transports: Transport[];
  try {
    const set = await options.transports();
    transports = set === null ? [] : transportsOf(set, email, options.fetch, signal);
  } catch (error) {
    log.error({ err: error }, "the email settings can't be read");
    failures.push("the email settings can't be read");
    return {
      transport: null,
      failures,
      isPermanent: false,
      hasNoTransport: false,
      retryAfterMs: 0,
    };
  }
  let refused = transports.length > 0;
  let retryAfterMs = 0;
  for (const { name, send } of transports) {
    try {
      await send();
      return {
        transport: name,
        failures,
        isPermanent: false,
        hasNoTransport: false,
        retryAfterMs: 0,
      };
    } catch (error) {
      const why =
        error instanceof DeliveryError ? error : new DeliveryError(`${name}: ${String(error)}`);
      log.warn({ err: why, by: name }, "an email wasn't accepted");
      failures.push(why.message);
      refused &&= why.isPermanent;
      retryAfterMs = Math.max(retryAfterMs, why.retryAfterMs);
    }
  }
  return {
    transport: null,
    failures,
    isPermanent: refused,
    hasNoTransport: transports.length === 0,
    retryAfterMs,
  };
}
