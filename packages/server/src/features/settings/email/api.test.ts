import { PassThrough } from "node:stream";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type AdminApp, startAdminApp } from "../../../../../../test/support/admin.ts";
import { testKeyring } from "../../../../../../test/support/email.ts";
import { startSmtp, type TestSmtp } from "../../../../../../test/support/smtp.ts";
import { createLog } from "../../../platform/log.ts";
import {
  type DeliveryWorker,
  makeDeliveryWorker,
} from "../../../platform/mailer/delivery-worker.ts";
import { makeOutbox, type SendingOutbox } from "../../../platform/mailer/outbox.ts";
import { findSetting } from "../store.ts";
import { makeSettings, type Settings } from "../settings.ts";
import { registerEmailSettings } from "./api.ts";
import { emailTransports } from "./email-settings.ts";
import type { DeliveryView, EmailView } from "./schema.ts";

let app: AdminApp;
let smtp: TestSmtp;
let settings: Settings;
let outbox: SendingOutbox;
let delivery: DeliveryWorker;
let cookie: string;
let firstSets: number;

beforeEach(async () => {
  firstSets = 0;
  smtp = await startSmtp({ user: { name: "site", password: "geheim" } });
  const log = createLog({ level: "info", name: "test", destination: new PassThrough() });
  app = await startAdminApp({
    register(server, { guard, clock, db }) {
      const keyring = testKeyring();
      settings = makeSettings({ db, keyring, clock });
      const baseUrl = "https://me.example";
      outbox = makeOutbox({ keyring, clock, baseUrl, siteName: () => "Site" });
      delivery = makeDeliveryWorker({
        db,
        keyring,
        clock,
        log,
        transports: () => emailTransports(settings),
      });
      const onFirstSet = async () => void (firstSets += 1);
      registerEmailSettings(server, { guard, settings, db, clock, outbox, delivery, onFirstSet });
    },
  });
  cookie = await app.signIn();
});
afterEach(async () => {
  await delivery.close();
  await app.cleanup();
  await smtp[Symbol.asyncDispose]();
});

async function ask(path = "", body?: unknown) {
  const headers = { cookie, origin: "http://localhost:3000" };
  const options = body === undefined ? { headers } : { headers, body };
  const response = await app.ask(`/api/adminsettings/email${path}`, options);
  const { data, error } = response.json();
  return {
    status: response.status,
    text: response.text,
    data: data as unknown as EmailView,
    error: error as { code: string; fields?: Record<string, string> },
  };
}

async function deliveries(query = "") {
  const { data, text } = await ask(`/deliveries${query}`);
  return { text, data: data as unknown as { total: number; items: DeliveryView[] } };
}

const server = () => ({ host: "127.0.0.1", port: smtp.port, secure: false, user: "site" });
const plain = { to: "owner@example.com", from: "Site <site@example.com>", provider: null };
const full = () => ({ ...plain, smtp: { ...server(), password: "geheim" } });

test("nothing is set at first; a stored password is never returned", async () => {
  expect((await ask()).data).toMatchObject({ to: null, from: null, smtp: null });
  const saved = await ask("", full());
  expect(saved.status).toBe(200);
  const read = await ask();
  expect(read.data).toMatchObject({ ...plain, smtp: { ...server(), passwordSet: true } });
  expect(saved.text + read.text).not.toContain("geheim");
  expect(JSON.stringify(await findSetting(app.db, "mail"))).not.toContain("geheim");
});

test("setting email for the first time notifies listeners, changing it doesn't", async () => {
  await ask("", full());
  await ask("", full());
  expect(firstSets).toBe(1);
});

test("the test email is sent to the owner's address", async () => {
  expect((await ask("/test", {})).error.code).toBe("invalid_state");
  await ask("", full());
  const { data } = await ask("/test", {});
  expect(data).toEqual({ by: "smtp", failures: [] });
  expect(smtp.emails.map(({ to }) => to)).toEqual([["owner@example.com"]]);
});

test("a password stays while the server stays the same and is sent to no other", async () => {
  await ask("", full());
  expect((await ask("", { ...plain, to: "me@example.com", smtp: server() })).status).toBe(200);
  expect((await ask("/test", {})).data).toMatchObject({ by: "smtp" });
  const elsewhere = { ...plain, smtp: { ...server(), host: "thief.example.com" } };
  const refused = await ask("", elsewhere);
  expect([refused.status, Object.keys(refused.error.fields ?? {})]).toEqual([
    422,
    ["smtp.password"],
  ]);
  expect((await ask()).data.smtp?.host).toBe("127.0.0.1");
});

test("a password that was sent encrypted is never sent in plain text", async () => {
  const secure = { ...server(), secure: true };
  await ask("", { ...plain, smtp: { ...secure, password: "geheim" } });
  const refused = await ask("", { ...plain, smtp: server() });
  expect([refused.status, refused.error.fields]).toMatchObject([422, { "smtp.password": /./ }]);
  expect((await ask("", { ...plain, smtp: secure })).status).toBe(200);
});

test("a provider's key is sent only to the address it was entered for", async () => {
  const provider = { provider: "generic", providerUrl: "https://mail.example.com/send" };
  await ask("", { ...plain, ...provider, providerKey: "k-secret", smtp: null });
  const moved = { ...plain, ...provider, providerUrl: "https://thief.example.com/", smtp: null };
  expect((await ask("", moved)).error.fields).toHaveProperty("providerKey");
  expect((await ask("", { ...plain, ...provider, smtp: null })).data.providerKeySet).toBe(true);
});

test.each([
  ["to", { ...plain, to: "a@example.com,b@example.com", smtp: null }],
  ["from", { ...plain, from: "Site <nobody>", smtp: null }],
  ["providerUrl", { ...plain, provider: "generic", providerKey: "k", smtp: null }],
  [
    "providerUrl",
    {
      ...plain,
      provider: "generic",
      providerUrl: "https:/me:pw@a.example/",
      providerKey: "k",
      smtp: null,
    },
  ],
  ["providerDomain", { ...plain, provider: "mailgun", providerKey: "k", smtp: null }],
  ["smtp.port", { ...plain, smtp: { host: "a", port: 0, secure: true, user: null } }],
])("invalid values are reported: %s", async (field, body) => {
  const { status, error } = await ask("", body);
  expect(status).toBe(422);
  expect(Object.keys(error.fields ?? {})).toContain(field);
  expect((await ask()).data.from).toBeNull();
});

test("deliveries list what was sent to whom and how, but never its content", async () => {
  await ask("", full());
  await ask("/test", {});
  smtp.answers = 550;
  await ask("/test", {});
  const content = {
    paragraphs: ["top secret"],
    action: { label: "Go", path: "/account/verify?token=t-secret" },
  };
  const email = { purpose: "verify", to: "new@example.com", subject: "Confirm", content } as const;
  await outbox.enqueue(app.db, email);
  const { data, text } = await deliveries();
  expect(data).toMatchObject({ total: 3, page: 1 });
  const failures = [expect.stringMatching(/^SMTP: .*550/)];
  expect(data.items).toMatchObject([
    { purpose: "verify", to: "new@example.com", status: "waiting", by: null, canRetry: false },
    { status: "failed", by: null, attempts: 1, failures, canRetry: true },
    {
      purpose: "test",
      subject: "Test email from your site",
      status: "sent",
      by: "smtp",
      failures: [],
    },
  ]);
  expect(data.items[2]).toMatchObject({ canRetry: false, sentAt: expect.any(String) });
  expect(text).not.toMatch(/secret/);
  expect((await deliveries("?perPage=1&page=2")).data.items).toMatchObject([{ status: "failed" }]);
  expect((await ask("/deliveries?perPage=0")).status).toBe(422);
});

test("a failed email is sent again on request while its text is stored", async () => {
  await ask("", full());
  smtp.answers = 550;
  await ask("/test", {});
  const [{ id } = { id: 0 }] = (await deliveries()).data.items;
  smtp.answers = null;
  expect((await ask("/deliveries/retry", { id })).data).toMatchObject({ status: "waiting" });
  await delivery.sendDue();
  expect(smtp.emails).toHaveLength(1);
  const [sent] = (await deliveries()).data.items;
  expect(sent).toMatchObject({ status: "sent", by: "smtp", canRetry: false });
  expect(sent?.failures).toHaveLength(1);
  expect((await ask("/deliveries/retry", { id })).error.code).toBe("invalid_state");
  expect((await ask("/deliveries/retry", { id: 99 })).status).toBe(404);
  expect((await ask("/deliveries/retry", { id: "1" })).status).toBe(422);
});

test("only the admin has access", async () => {
  expect((await app.ask("/api/adminsettings/email")).status).toBe(401);
  expect((await app.ask("/api/adminsettings/email/deliveries")).status).toBe(401);
  const retry = await app.ask("/api/adminsettings/email/deliveries/retry", { body: { id: 1 } });
  expect(retry.status).toBe(401);
  expect((await app.ask("/api/adminsettings/email/test", { body: {} })).status).toBe(401);
});
