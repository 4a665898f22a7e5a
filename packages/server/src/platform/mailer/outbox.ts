import type { Clock } from "../../kit/clock.ts";
import { randomToken } from "../../kit/hash.ts";
import { isoTime } from "../../kit/time.ts";
import type { Db } from "../db/connect.ts";
import { type Keyring, seal } from "../secrets.ts";
import { checkedMail, cleanSubject, type Mail } from "./mail.ts";
import { insertMail } from "./outbox-store.ts";
import type { Outbox, OutgoingMail } from "./outgoing.ts";
import { renderMail } from "./render.ts";

/** The name that a mail's sealed text is bound to. */
export const sealedAs = "outbox";

export interface OutboxOptions {
  keyring: Keyring;
  clock: Pick<Clock, "now">;
  /** Where links lead: the configured address, never a request's. */
  baseUrl: string;
  /** Read within the caller's transaction: it asks no database by another connection. */
  siteName: () => string | Promise<string>;
  /** Called by `wake`. */
  onPosted?: () => void;
}

/** An outbox whose owner also sends. */
export interface SendingOutbox extends Outbox {
  /** Keeps a mail that the caller sends itself: nobody else takes it within `ms`. Gives its id. */
  hold(db: Db, mail: OutgoingMail, ms: number): Promise<number>;
}

/**
 * The outbox of one process. What a mail says is sealed, as its link can be worth a password, and its
 * Message-ID is made once, so that whoever gets it twice can tell.
 */
export function makeOutbox(options: OutboxOptions): SendingOutbox {
  const { keyring, clock, baseUrl, siteName } = options;
  const { hostname } = new URL(baseUrl);

  async function compose({ to, replyTo, subject, content }: OutgoingMail): Promise<Mail> {
    const line = cleanSubject(subject);
    const rendered = renderMail({ baseUrl, name: await siteName() }, line, content);
    const messageId = `<${randomToken(18)}@${hostname}>`;
    const mail = { to, subject: line, ...rendered, messageId };
    return checkedMail(replyTo === undefined ? mail : { ...mail, replyTo });
  }

  async function keep(db: Db, mail: OutgoingMail, heldMs: number | null): Promise<number> {
    const composed = await compose(mail);
    const { keyId, ciphertext } = seal(keyring, sealedAs, JSON.stringify(composed));
    const now = clock.now();
    return insertMail(db, {
      purpose: mail.purpose,
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
    post: (db, mail) => keep(db, mail, null),
    hold: keep,
    wake: () => options.onPosted?.(),
  };
}
