import type { Clock } from "../../kit/clock.ts";
import { AppError } from "../../kit/errors.ts";
import { isoTime } from "../../kit/time.ts";
import { checkedFetch } from "../checked-fetch.ts";
import type { Db } from "../db/connect.ts";
import type { Log } from "../log.ts";
import { type Keyring, unseal } from "../secrets.ts";
import { validateEmail, type Email, type EmailTransports } from "./email.ts";
import { sealContext } from "./outbox.ts";
import {
  type DeliveryOutcome,
  type EmailTransportName,
  type OutboxRow,
  updateDeliveryOutcome,
} from "./outbox-store.ts";
import { type DeliveryAttempt, attemptDelivery } from "./transports.ts";

/** The result of an attempt; `log` means that nothing accepted the email. */
export interface DeliveryResult {
  by: EmailTransportName;
  /** Why earlier transports failed, as plain texts without secrets; may be empty. */
  failures: string[];
}

export interface DeliverEmailOptions {
  db: Db;
  keyring: Keyring;
  clock: Pick<Clock, "now">;
  log: Log;
  /** How email is sent now; null if nothing is configured. */
  transports: () => Promise<EmailTransports | null>;
  fetch?: typeof globalThis.fetch;
}

/** Pauses after failed attempts, in ms; the last attempt follows the last pause. */
const pauses = [10_000, 60_000, 5 * 60_000, 15 * 60_000, 60 * 60_000];
const maxAttempts = pauses.length + 1;
const maxFailures = 20;

/**
 * The content of an email. Throws `unavailable` if it can't be decrypted, `internal` if it belongs
 * to another email.
 */
function open(row: OutboxRow, keyring: Keyring): Email {
  const { ciphertext, key_id: keyId, recipient } = row;
  if (ciphertext === null || keyId === null)
    throw new AppError("internal", "The email has no text.");
  const email = JSON.parse(unseal(keyring, sealContext, { ciphertext, keyId })) as Email;
  if (email.to !== recipient)
    throw new AppError("internal", "The email is addressed to someone else.");
  return validateEmail(email);
}

/** The log's description of an email. */
function describe(row: OutboxRow, { to, subject }: Email) {
  return { mailId: row.id, purpose: row.purpose, to, subject };
}

/** Makes one attempt to send a claimed email and stores the result. `last`: it won't be retried. */
export async function deliverEmail(
  options: DeliverEmailOptions,
  row: OutboxRow,
  { last, signal }: { last: boolean; signal: AbortSignal },
): Promise<DeliveryResult> {
  const { db, keyring, clock, log, fetch = checkedFetch } = options;
  const now = clock.now();

  async function put(
    outcome: Partial<DeliveryOutcome> & Pick<DeliveryOutcome, "status">,
    failures: string[],
  ): Promise<void> {
    const before = JSON.parse(row.failures) as string[];
    await updateDeliveryOutcome(db, row, {
      due_at: isoTime(now),
      sent_by: null,
      sent_at: null,
      failures: JSON.stringify([...before, ...failures].slice(-maxFailures)),
      ...outcome,
    });
  }

  async function settle(email: Email, tried: DeliveryAttempt): Promise<void> {
    const { transport, failures, isPermanent, hasNoTransport } = tried;
    const at = isoTime(clock.now());
    if (transport !== null)
      return put({ status: "sent", sent_by: transport, sent_at: at }, failures);
    const about = describe(row, email);
    if (isPermanent) {
      log.warn({ ...about, failures }, "an email was refused");
      return put({ status: "failed" }, failures);
    }
    if (last || hasNoTransport || row.attempts >= maxAttempts) {
      // The only place left where the owner can find the link, for whoever waits for it.
      log.warn({ ...about, text: email.text }, "an email couldn't be delivered");
      return put({ status: "logged", sent_by: "log", sent_at: at }, failures);
    }
    // The text is in the log within a minute, whatever later attempts do.
    if (row.attempts === 1) log.warn({ ...about, text: email.text }, "an email is delayed");
    // Attempts cut off by our own shutdown continue after the next start.
    const pause = signal.aborted ? 0 : Math.max(pauses[row.attempts - 1] ?? 0, tried.retryAfterMs);
    return put({ status: "waiting", due_at: isoTime(clock.now() + pause) }, failures);
  }

  let email: Email;
  try {
    email = open(row, keyring);
  } catch (error) {
    log.error({ err: error, mailId: row.id }, "an email can't be read");
    const failures = ["Its stored text can't be decrypted."];
    await put({ status: "failed" }, failures);
    return { by: "log", failures };
  }
  // An email during which every process so far has died isn't tried again.
  const none = {
    transport: null,
    failures: [],
    isPermanent: false,
    hasNoTransport: true,
    retryAfterMs: 0,
  };
  const transports = { transports: options.transports, log, fetch };
  const tried =
    row.attempts > maxAttempts ? none : await attemptDelivery(transports, email, signal);
  await settle(email, tried);
  return { by: tried.transport ?? "log", failures: tried.failures };
}
