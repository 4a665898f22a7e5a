import { randomBytes } from "node:crypto";
import { PassThrough } from "node:stream";
import type { Clock } from "../../packages/server/src/kit/clock.ts";
import type { Db } from "../../packages/server/src/platform/db/connect.ts";
import { createLog } from "../../packages/server/src/platform/log.ts";
import { type Delivery, makeDelivery } from "../../packages/server/src/platform/mailer/delivery.ts";
import type { MailRoutes } from "../../packages/server/src/platform/mailer/mail.ts";
import {
  makeOutbox,
  type SendingOutbox,
} from "../../packages/server/src/platform/mailer/outbox.ts";
import type { Keyring } from "../../packages/server/src/platform/secrets.ts";
import { readMessage, type ReadMessage } from "./message.ts";
import { startSmtp, type TestSmtp } from "./smtp.ts";

/** A mail as it arrived. */
export interface ArrivedMail extends ReadMessage {
  to: string;
  /** The addresses in its text, in their order. */
  links: string[];
}

export interface TestMail extends AsyncDisposable {
  outbox: SendingOutbox;
  delivery: Delivery;
  smtp: TestSmtp;
  /** How mail leaves: to `smtp`. */
  routes: MailRoutes;
  /** Sends what was posted, and waits for it. */
  deliver(): Promise<void>;
  /** What has arrived, the oldest first. */
  mails(): ArrivedMail[];
  /** The last that has arrived for an address. */
  last(to: string): ArrivedMail | undefined;
  /** What is in the log. */
  logged(): string;
}

/** A keyring of its own. */
export function testKeyring(): Keyring {
  return { active: "k1", keys: new Map([["k1", randomBytes(32)]]) };
}

/** Routes that lead to a server of ours alone. */
export function routesTo({ port }: { port: number }): MailRoutes {
  const smtp = { host: "127.0.0.1", port, secure: false, user: null, password: null };
  return { from: "Site <site@example.com>", http: null, smtp };
}

/** An outbox whose mail arrives, by `deliver`, at a real SMTP server on the loopback address. */
export async function startMail(options: {
  db: Db;
  clock: Pick<Clock, "now">;
  keyring?: Keyring;
  baseUrl?: string;
}): Promise<TestMail> {
  const { db, clock, keyring = testKeyring(), baseUrl = "https://me.example" } = options;
  const smtp = await startSmtp();
  const routes = routesTo(smtp);
  const lines: string[] = [];
  const destination = new PassThrough().on("data", (chunk) => lines.push(String(chunk)));
  const log = createLog({ level: "info", name: "test", destination });
  const how = { routes: async () => routes, graceMs: 50 };
  const delivery = makeDelivery({ db, keyring, clock, log, ...how });
  const mails = () =>
    smtp.mails.map(({ to, source }) => {
      const read = readMessage(source);
      const links = read.text.match(/https?:\/\/[^\s<>"]+/g) ?? [];
      return { ...read, to: to.join(", "), links: [...links] };
    });
  return {
    outbox: makeOutbox({ keyring, clock, baseUrl, siteName: () => "A Portfolio" }),
    delivery,
    smtp,
    routes,
    deliver: () => delivery.look(),
    mails,
    last: (to) => mails().findLast((mail) => mail.to === to),
    logged: () => lines.join(""),
    async [Symbol.asyncDispose]() {
      await delivery.close();
      await smtp[Symbol.asyncDispose]();
    },
  };
}
