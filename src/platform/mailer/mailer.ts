import type { Log } from "../log.ts";
import type { Sent } from "./deliver.ts";
import { checkedMail, type Mail, type MailRoutes } from "./mail.ts";
import { trySending } from "./ways.ts";

export type Delivery = Sent;

export interface Mailer {
  /**
   * Sends a mail by the first way that takes it: the provider's HTTP API, SMTP, else the log alone.
   * Throws `validation_failed` for an address that is none; whatever else fails is in the answer.
   */
  send(mail: Mail): Promise<Delivery>;
}

export interface MailerOptions {
  /** How mail leaves now; null while nothing is set. */
  routes: () => Promise<MailRoutes | null>;
  log: Log;
  fetch?: typeof globalThis.fetch;
}

/** The mailer of one process. */
export function makeMailer(options: MailerOptions): Mailer {
  const { routes, log, fetch = globalThis.fetch } = options;
  return {
    async send(given) {
      const mail = checkedMail(given);
      const { signal } = new AbortController();
      const { by, failures } = await trySending({ routes, log, fetch }, mail, signal);
      if (by !== null) return { by, failures };
      log.info({ to: mail.to, subject: mail.subject, text: mail.text }, "mail that nobody took");
      return { by: "log", failures };
    },
  };
}
