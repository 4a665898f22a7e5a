import { afterEach, beforeEach, expect, test } from "vitest";
import { fakeClock, type FakeClock } from "../../../test/support/clock.ts";
import { makeTestDatabase, type TestDatabase } from "../../../test/support/database.ts";
import { startMail, type TestMail } from "../../../test/support/mail.ts";
let store: TestDatabase;
let clock: FakeClock;
let mail: TestMail;
beforeEach(async () => {
  store = await makeTestDatabase();
  clock = fakeClock();
  mail = await startMail({ db: store.database.db, clock });
});
afterEach(async () => {
  await mail[Symbol.asyncDispose]();
  await store.cleanup();
});
test("arrives", async () => {
  await mail.outbox.post(store.database.db, {
    purpose: "test",
    to: "a@example.com",
    replyTo: "b@example.com",
    subject: "Grüße\r\nBcc: x@y.z",
    content: {
      paragraphs: ["Hello <b>", "Zwei — long ".repeat(20)],
      quote: "a\n\nb",
      action: { label: "Open it", path: "/account/verify?token=abc" },
      footnote: "why",
    },
  });
  await mail.deliver();
  expect(mail.mails()).toHaveLength(1);
});
