import type { Clock } from "../../kit/clock.ts";
import { isoTime } from "../../kit/time.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { Outbox, OutgoingEmail } from "../../platform/mailer/outgoing-email.ts";
import { type OpenAttemptLimit, openLocalLimits } from "../../platform/throttle.ts";
import type { ContactBody } from "./schema.ts";
import { insertMessage } from "./store.ts";

export interface ContactDependencies {
  db: Db;
  clock: Clock;
  outbox: Outbox;
  /** The current recipient of notifications; null if there is none. */
  to: () => Promise<string | null>;
  /** Where emails are counted; by default, in this process. */
  openLimit?: OpenAttemptLimit;
}

export interface Contact {
  /**
   * Stores a visitor's message and notifies the owner, in one transaction. After 30 emails an hour,
   * from any number of visitors, messages are stored without an email.
   */
  receive(
    message: Omit<ContactBody, "website">,
    visitor: { address: string; userAgent: string },
  ): Promise<void>;
}

const maxUserAgentLength = 300;
const maxEmails = { limit: 30, windowMs: 60 * 60_000 };

function emailFor(
  { name, email, message }: Omit<ContactBody, "website">,
  to: string,
): OutgoingEmail {
  return {
    purpose: "contact",
    to,
    replyTo: email,
    subject: `Message from ${name}`,
    content: {
      paragraphs: [`${name} <${email}> sent you a message on your site:`],
      quote: message,
      action: { label: "See all messages", path: "/admin/messages" },
      footnote: `Your reply to this email goes to ${email}. The address hasn't been verified.`,
    },
  };
}

export function makeContact(deps: ContactDependencies): Contact {
  const { db, clock, outbox, openLimit = openLocalLimits(clock) } = deps;
  const emails = openLimit({ name: "contact email", ...maxEmails });
  return {
    async receive(message, visitor) {
      const { name, email, message: text } = message;
      const owner = await deps.to();
      const to = owner !== null && (await emails.take(owner)).allowed ? owner : null;
      await db.transaction().execute(async (trx) => {
        const emailId = to === null ? null : await outbox.enqueue(trx, emailFor(message, to));
        await insertMessage(trx, {
          name,
          email,
          message: text,
          at: isoTime(clock.now()),
          ip: visitor.address,
          user_agent: visitor.userAgent.slice(0, maxUserAgentLength),
          email_id: emailId,
        });
      });
      outbox.wake();
    },
  };
}
