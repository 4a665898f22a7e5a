import type { Clock } from "../../kit/clock.ts";
import { isoTime } from "../../kit/time.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { Outbox, OutgoingMail } from "../../platform/mailer/outgoing.ts";
import { makeThrottle } from "../../platform/throttle.ts";
import type { ContactBody } from "./schema.ts";
import { insertMessage } from "./store.ts";

export interface ContactDeps {
  db: Db;
  clock: Clock;
  outbox: Outbox;
  /** Where the owner's mail goes now; null while it goes nowhere. */
  to: () => Promise<string | null>;
}

export interface Contact {
  /**
   * Keeps what a visitor has written, and tells the owner: both or neither. Beyond 30 mails an hour,
   * from however many visitors, messages are kept and no more is mailed.
   */
  receive(
    message: Omit<ContactBody, "website">,
    visitor: { address: string; userAgent: string },
  ): Promise<void>;
}

const longestUserAgent = 300;
const mostMails = { limit: 30, windowMs: 60 * 60_000 };

function mailFor({ name, email, message }: Omit<ContactBody, "website">, to: string): OutgoingMail {
  return {
    purpose: "contact",
    to,
    replyTo: email,
    subject: `Message from ${name}`,
    content: {
      paragraphs: [`${name} <${email}> has written to you on your site:`],
      quote: message,
      action: { label: "See all messages", path: "/admin/messages" },
      footnote: `An answer to this mail goes to ${email}. Nobody has checked that this address is theirs.`,
    },
  };
}

export function makeContact(deps: ContactDeps): Contact {
  const { db, clock, outbox } = deps;
  const mails = makeThrottle({ clock, ...mostMails });
  return {
    async receive(message, visitor) {
      const { name, email, message: text } = message;
      const owner = await deps.to();
      const to = owner !== null && mails.take(owner).allowed ? owner : null;
      await db.transaction().execute(async (trx) => {
        const mailId = to === null ? null : await outbox.post(trx, mailFor(message, to));
        await insertMessage(trx, {
          name,
          email,
          message: text,
          at: isoTime(clock.now()),
          ip: visitor.address,
          user_agent: visitor.userAgent.slice(0, longestUserAgent),
          mail_id: mailId,
        });
      });
      outbox.wake();
    },
  };
}
