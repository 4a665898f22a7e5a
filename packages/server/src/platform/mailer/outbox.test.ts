import { afterEach, beforeEach, expect, it } from "vitest";
import { type FakeClock, fakeClock } from "../../../../../test/support/clock.ts";
import { makeTestDatabase, type TestDatabase } from "../../../../../test/support/database.ts";
import { startEmail, type TestEmail } from "../../../../../test/support/email.ts";
import { countStuckEmails } from "./outbox-store.ts";
import type { OutgoingEmail } from "./outgoing-email.ts";

let store: TestDatabase;
let email: TestEmail;
let clock: FakeClock;

beforeEach(async () => {
  store = await makeTestDatabase();
  clock = fakeClock();
  email = await startEmail({ db: store.database.db, clock });
});
afterEach(async () => {
  await email[Symbol.asyncDispose]();
  await store.cleanup();
});

const plain: OutgoingEmail = {
  purpose: "notice",
  to: "reader@example.com",
  subject: "Hello",
  content: { paragraphs: ["Something has changed."] },
};
const post = (given: Partial<OutgoingEmail>) =>
  email.outbox.enqueue(store.database.db, { ...plain, ...given });

async function arrived(given: Partial<OutgoingEmail>) {
  await post(given);
  await email.deliver();
  const last = email.emails().at(-1);
  if (last === undefined) throw new Error("nothing has arrived");
  return last;
}

it("makes text and HTML of one template", async () => {
  const { text, html, headers } = await arrived({
    content: {
      paragraphs: ["First line\nsecond line", "Next."],
      quote: "They wrote\n\nthis.",
      action: { label: "Open it", path: "/account?x=1&y=2" },
      footnote: "If you didn't ask for this, do nothing.",
    },
  });
  expect(text).toBe(
    [
      "First line\nsecond line",
      "Next.",
      "> They wrote\n>\n> this.",
      "Open it:\nhttps://me.example/account?x=1&y=2",
      "-- \nA Portfolio\nIf you didn't ask for this, do nothing.",
    ].join("\n\n"),
  );
  expect(html).toContain("First line<br />second line");
  expect(html).toContain('<a href="https://me.example/account?x=1&amp;y=2"');
  expect(html).toContain("They wrote<br /><br />this.");
  expect(html?.match(/<a /g)).toHaveLength(1);
  expect(html).not.toMatch(/<(?:img|script|link|table)/);
  expect(headers["content-type"]).toContain("multipart/alternative");
});

it("shows markup as it was written", async () => {
  const nasty = `<script>alert(1)</script><a href="https://evil.example">x</a> & "y"`;
  const { text, html, subject } = await arrived({
    subject: `Re: ${nasty}`,
    content: { paragraphs: [nasty], quote: nasty, footnote: nasty },
  });
  expect(text).toContain(nasty);
  expect(subject).toContain("<script>");
  expect(html).not.toMatch(/<script|<a /);
  expect(html).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
});

it("abuse 43: a link leads to a path of the configured address, and to nothing else", async () => {
  for (const path of [
    "//evil.example/",
    "https://evil.example/",
    "\\\\evil.example",
    "account",
    "",
  ]) {
    const content = { paragraphs: [], action: { label: "Go", path } };
    await expect(post({ content })).rejects.toMatchObject({ code: "internal" });
  }
  const content = { paragraphs: [], action: { label: "Go", path: "/a/../account" } };
  expect((await arrived({ content })).links).toEqual(["https://me.example/account"]);
});

it("abuse 44: a line break in a subject makes no header, in an address no email", async () => {
  const { subject, headers } = await arrived({
    subject: "Hello\r\nBcc: thief@example.com\r\n\r\nbody\u2028X: y",
  });
  expect(subject).toBe("Hello Bcc: thief@example.com body X: y");
  expect(headers).not.toHaveProperty("bcc");
  expect(email.smtp.emails[0]?.to).toEqual(["reader@example.com"]);
  const broken = [
    "a@example.com\r\nBcc: b@example.com",
    "a@example.com, b@example.com",
    "a@example.com;b@example.com",
    "A <a@example.com>",
    "a@example.com\n",
    "@example.com",
    "",
  ];
  for (const address of broken) {
    await expect(post({ to: address })).rejects.toMatchObject({ fields: { to: /./ } });
    await expect(post({ replyTo: address })).rejects.toMatchObject({ fields: { replyTo: /./ } });
  }
  await email.deliver();
  expect(email.emails()).toHaveLength(1);
});

it("keeps a subject short and whole", async () => {
  expect((await arrived({ subject: `${"x".repeat(199)}😀` })).subject).toHaveLength(200);
  expect((await arrived({ subject: "Größe — “heute”" })).subject).toBe("Größe — “heute”");
});

it("tells how many emails of a time nobody takes", async () => {
  const { db } = store.database;
  const since = new Date(clock.now()).toISOString();
  await arrived({});
  await email.smtp[Symbol.asyncDispose]();
  await post({});
  expect(await countStuckEmails(db, since)).toBe(0);
  await email.deliver();
  expect(await countStuckEmails(db, since)).toBe(1);
  clock.advance(60_000);
  await email.deliver();
  expect(await countStuckEmails(db, since)).toBe(1);
  expect(await countStuckEmails(db, new Date(clock.now()).toISOString())).toBe(0);
});
