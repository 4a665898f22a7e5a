import type { Clock } from "../../kit/clock.ts";
import { AppError } from "../../kit/errors.ts";
import { isoTime } from "../../kit/time.ts";
import type { Db } from "../db/connect.ts";
import type { Log } from "../log.ts";
import { type Keyring, unseal } from "../secrets.ts";
import { checkedMail, type Mail, type MailRoutes } from "./mail.ts";
import { sealedAs } from "./outbox.ts";
import { type Fate, type MailWay, type OutboxRow, putFate } from "./outbox-store.ts";
import { type Try, trySending } from "./ways.ts";

/** How a try went for the mail: `log` means that nothing has taken it. */
export interface Sent {
  by: MailWay;
  /** Why the ways before it failed, in plain words without secrets; empty when none did. */
  failures: string[];
}

export interface DeliverOptions {
  db: Db;
  keyring: Keyring;
  clock: Pick<Clock, "now">;
  log: Log;
  /** How mail leaves now; null while nothing is set. */
  routes: () => Promise<MailRoutes | null>;
  fetch?: typeof globalThis.fetch;
}

/** The pauses after a try that failed, in ms; after the last of them comes the last try. */
const pauses = [10_000, 60_000, 5 * 60_000, 15 * 60_000, 60 * 60_000];
const mostTries = pauses.length + 1;
const keptFailures = 20;

/** What a mail says. Throws `unavailable` when it can't be opened, `internal` when it is another one's. */
function open(row: OutboxRow, keyring: Keyring): Mail {
  const { ciphertext, key_id: keyId, recipient } = row;
  if (ciphertext === null || keyId === null) throw new AppError("internal", "It has no text.");
  const mail = JSON.parse(unseal(keyring, sealedAs, { ciphertext, keyId })) as Mail;
  if (mail.to !== recipient) throw new AppError("internal", "It is written to somebody else.");
  return checkedMail(mail);
}

/**
 * Tries once to send a mail that was taken up, and notes what became of it. `last` says that it is
 * not to be tried again.
 */
export async function deliver(
  options: DeliverOptions,
  row: OutboxRow,
  { last, signal }: { last: boolean; signal: AbortSignal },
): Promise<Sent> {
  const { db, keyring, clock, log, fetch = globalThis.fetch } = options;
  const now = clock.now();

  async function put(
    fate: Partial<Fate> & Pick<Fate, "status">,
    failures: string[],
  ): Promise<void> {
    const before = JSON.parse(row.failures) as string[];
    await putFate(db, row, {
      due_at: isoTime(now),
      sent_by: null,
      sent_at: null,
      failures: JSON.stringify([...before, ...failures].slice(-keptFailures)),
      ...fate,
    });
  }

  async function settle(mail: Mail, tried: Try): Promise<void> {
    const { by, failures, refused, nowhere } = tried;
    const at = isoTime(clock.now());
    if (by !== null) return put({ status: "sent", sent_by: by, sent_at: at }, failures);
    const { to, subject, text } = mail;
    const about = { mailId: row.id, purpose: row.purpose, to, subject };
    if (refused) {
      log.warn({ ...about, failures }, "a mail was refused");
      return put({ status: "failed" }, failures);
    }
    if (last || nowhere || row.attempts >= mostTries) {
      // The one place left where the owner can find a link, for whoever waits for it.
      log.warn({ ...about, text }, "mail that nobody took");
      return put({ status: "logged", sent_by: "log", sent_at: at }, failures);
    }
    // What our own end cut off goes on with the next start.
    const pause = signal.aborted ? 0 : Math.max(pauses[row.attempts - 1] ?? 0, tried.retryAfterMs);
    return put({ status: "waiting", due_at: isoTime(clock.now() + pause) }, failures);
  }

  let mail: Mail;
  try {
    mail = open(row, keyring);
  } catch (error) {
    log.error({ err: error, mailId: row.id }, "a mail can't be read");
    const failures = ["What it says can't be read any more."];
    await put({ status: "failed" }, failures);
    return { by: "log", failures };
  }
  // One that every process so far died with is not tried once more.
  const none = { by: null, failures: [], refused: false, nowhere: true, retryAfterMs: 0 };
  const ways = { routes: options.routes, log, fetch };
  const tried = row.attempts > mostTries ? none : await trySending(ways, mail, signal);
  await settle(mail, tried);
  return { by: tried.by ?? "log", failures: tried.failures };
}
