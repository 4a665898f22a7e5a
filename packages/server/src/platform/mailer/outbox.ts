import type { Clock } from "../../kit/clock.ts";
import { randomToken } from "../../kit/hash.ts";
import { isoTime } from "../../kit/time.ts";
import type { Db } from "../db/connect.ts";
import { type Keyring, seal } from "../secrets.ts";
import { validateEmail, cleanSubject, type Email } from "./email.ts";
import { insertEmail } from "./outbox-store.ts";
import type { Outbox, OutgoingEmail } from "./outgoing-email.ts";
import { renderEmail } from "./render-email.ts";

/** The name that an email's sealed text is bound to. */
export const sealContext = "outbox";

export interface OutboxOptions {
  keyring: Keyring;
  clock: Pick<Clock, "now">;
  /** Where links lead: the configured address, never a request's. */
  baseUrl: string;
  /** Read within the caller's transaction: it asks no database by another connection. */
  siteName: () => string | Promise<string>;
  /** Called by `wake`. */
  onEnqueued?: () => void;
}

/** An outbox whose owner also sends. */
export interface SendingOutbox extends Outbox {
  /** Keeps an email that the caller sends itself: nobody else takes it within `ms`. Gives its id. */
  reserve(db: Db, email: OutgoingEmail, ms: number): Promise<number>;
}

/**
 * The outbox of one process. What an email says is sealed, as its link can be worth a password, and its
 * Message-ID is made once, so that whoever gets it twice can tell.
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
