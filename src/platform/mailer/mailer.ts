import type { Log } from "../log.ts";
import { sendByHttp } from "./http-route.ts";
import { checkedMail, type Mail, type MailRoutes } from "./mail.ts";
import { sendBySmtp } from "./smtp-route.ts";

/** The way a mail has gone: `log` means that nobody took it. */
export interface Delivery {
  by: "http" | "smtp" | "log";
  /** Why the ways before it failed, in plain words without secrets; empty when none did. */
  failures: string[];
}

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

function reasonOf(way: string, error: unknown): string {
  const { name, message } = error as Error;
  return `${way}: ${name === "TimeoutError" ? "no answer in time" : message.slice(0, 300)}`;
}

/** The mailer of one process. */
export function makeMailer(options: MailerOptions): Mailer {
  const { routes, log, fetch = globalThis.fetch } = options;
  return {
    async send(given) {
      const mail = checkedMail(given);
      const set = await routes();
      const failures: string[] = [];
      const { http, smtp, from } = set ?? { http: null, smtp: null, from: "" };
      const ways = [
        http && { by: "http" as const, go: () => sendByHttp(http, from, mail, fetch) },
        smtp && { by: "smtp" as const, go: () => sendBySmtp(smtp, from, mail) },
      ];
      for (const way of ways) {
        if (way === null) continue;
        try {
          await way.go();
          return { by: way.by, failures };
        } catch (error) {
          log.warn({ err: error, by: way.by }, "a mail was not taken");
          failures.push(reasonOf(way.by === "http" ? (http?.provider ?? "") : "SMTP", error));
        }
      }
      log.info({ to: mail.to, subject: mail.subject, text: mail.text }, "mail that nobody took");
      return { by: "log", failures };
    },
  };
}
