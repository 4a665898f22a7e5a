import type { Clock } from "../../kit/clock.ts";
import { randomToken } from "../../kit/hash.ts";
import { isoTime } from "../../kit/time.ts";
import type { Db } from "../db/connect.ts";
import { type Keyring, seal } from "../secrets.ts";
import { validateEmail, cleanSubject, type Email } from "./email.ts";
import { insertEmail } from "./outbox-store.ts";
import type { Outbox, OutgoingEmail } from "./outgoing-email.ts";
import { renderEmail } from "./render-email.ts";

/** The name that an email's encrypted content is bound to. */
export const sealContext = "outbox";

export interface OutboxOptions {
  keyring: Keyring;
  clock: Pick<Clock, "now">;
  /** The base of links: the configured address, never a request's. */
  baseUrl: string;
  /** Read in the caller's transaction, so it must not use another database connection. */
  siteName: () => string | Promise<string>;
  /** Called by `wake`. */
  onEnqueued?: () => void;
}

/** The outbox of a process that also sends email. */
export interface SendingOutbox extends Outbox {
  /**
   * Stores an email that the caller sends itself: nobody else claims it within `ms`. Returns its
   * ID.
   */
  reserve(db: Db, email: OutgoingEmail, ms: number): Promise<number>;
}

/**
 * The outbox of one process. Emails are encrypted, because a link can be worth a password. The
 * Message-ID is assigned once, so that duplicates can be recognized.
 */
export function makeOutbox(options: OutboxOptions): SendingOutbox {
  const { keyring, clock, baseUrl, siteName } = options;
  const { hostname } = new URL(baseUrl);

  async function compose({ to, replyTo, subject, content }: OutgoingEmail): Promise<Email> {
    const line = cleanSubject(subject);
    const rendered = renderEmail({ baseUrl, name: await siteName() }, line, content);
    const messageId = `<${randomToken(18)}@${hostname}>`;
    const email = { to, subject: line, ...rendered, messageId };
    return validateEmail(replyTo === undefined ? email : { ...email, replyTo });
  }

  async function keep(db: Db, email: OutgoingEmail, heldMs: number | null): Promise<number> {
    const composed = await compose(email);
    const { keyId, ciphertext } = seal(keyring, sealContext, JSON.stringify(composed));
    const now = clock.now();
    return insertEmail(db, {
      purpose: email.purpose,
      recipient: composed.to,
      subject: composed.subject,
      ciphertext,
      key_id: keyId,
      status: heldMs === null ? "waiting" : "sending",
      created_at: isoTime(now),
      due_at: isoTime(now + (heldMs ?? 0)),
    });
  }

  return {
    enqueue: (db, email) => keep(db, email, null),
    reserve: keep,
    wake: () => options.onEnqueued?.(),
  };
}
