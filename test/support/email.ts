import { randomBytes } from "node:crypto";
import { PassThrough } from "node:stream";
import type { Clock } from "../../packages/server/src/kit/clock.ts";
import type { Db } from "../../packages/server/src/platform/db/connect.ts";
import { createLog } from "../../packages/server/src/platform/log.ts";
import {
  type DeliveryWorker,
  makeDeliveryWorker,
} from "../../packages/server/src/platform/mailer/delivery-worker.ts";
import type { EmailTransports } from "../../packages/server/src/platform/mailer/email.ts";
import {
  makeOutbox,
  type SendingOutbox,
} from "../../packages/server/src/platform/mailer/outbox.ts";
import type { Keyring } from "../../packages/server/src/platform/secrets.ts";
import { readMessage, type ReadMessage } from "./message.ts";
import { startSmtp, type TestSmtp } from "./smtp.ts";

/** A received email. */
export interface ReceivedEmail extends ReadMessage {
  to: string;
  /** The addresses in its text, in their order. */
  links: string[];
}

export interface TestEmail extends AsyncDisposable {
  outbox: SendingOutbox;
  deliveryWorker: DeliveryWorker;
  smtp: TestSmtp;
  /** Email settings that send to `smtp`. */
  transports: EmailTransports;
  /** Delivers the queued emails and waits. */
  deliver(): Promise<void>;
  /** The received emails, oldest first. */
  emails(): ReceivedEmail[];
  /** The last email received for an address. */
  last(to: string): ReceivedEmail | undefined;
  /** The log. */
  logged(): string;
}

/** A keyring of its own. */
export function testKeyring(): Keyring {
  return { active: "k1", keys: new Map([["k1", randomBytes(32)]]) };
}

/** Routes that lead to a server of ours alone. */
export function routesTo({ port }: { port: number }): EmailTransports {
  const smtp = { host: "127.0.0.1", port, secure: false, user: null, password: null };
  return { from: "Site <site@example.com>", http: null, smtp };
}

/** An outbox whose email arrives, by `deliverEmail`, at a real SMTP server on the loopback address. */
export async function startEmail(options: {
  db: Db;
  clock: Pick<Clock, "now">;
  keyring?: Keyring;
  baseUrl?: string;
}): Promise<TestEmail> {
  const { db, clock, keyring = testKeyring(), baseUrl = "https://me.example" } = options;
  const smtp = await startSmtp();
  const routes = routesTo(smtp);
  const lines: string[] = [];
  const destination = new PassThrough().on("data", (chunk) => lines.push(String(chunk)));
  const log = createLog({ level: "info", name: "test", destination });
  const how = { transports: async () => routes, graceMs: 50 };
  const delivery = makeDeliveryWorker({ db, keyring, clock, log, ...how });
  const emails = () =>
    smtp.emails.map(({ to, source }) => {
      const read = readMessage(source);
      const links = read.text.match(/https?:\/\/[^\s<>"]+/g) ?? [];
      return { ...read, to: to.join(", "), links: [...links] };
    });
  return {
    outbox: makeOutbox({ keyring, clock, baseUrl, siteName: () => "A Portfolio" }),
    deliveryWorker: delivery,
    smtp,
    transports: routes,
    deliver: () => delivery.sendDue(),
    emails,
    last: (to) => emails().findLast((email) => email.to === to),
    logged: () => lines.join(""),
    async [Symbol.asyncDispose]() {
      await delivery.close();
      await smtp[Symbol.asyncDispose]();
    },
  };
}
