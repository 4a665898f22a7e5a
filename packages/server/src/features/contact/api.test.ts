import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type AdminApp, from, startAdminApp } from "../../../../../test/support/admin.ts";
import { startEmail, type TestEmail } from "../../../../../test/support/email.ts";
import { defaultLimits } from "../../platform/config.ts";
import { makeClientOf } from "../../platform/http/client-address.ts";
import { registerMessages } from "./admin/api.ts";
import { registerContact } from "./api.ts";
import { makeContact } from "./contact.ts";
import type { MessageList } from "./schema.ts";
import { countMessages } from "./store.ts";
import { testWorkers } from "../../../../../test/support/workers.ts";

const contactPage = `<!doctype html><title>Contact · Me</title><main><h1>Write to me</h1>
<form method="post" action="/api/contact"><label for="n">Namn</label><input id="n" name="name" required>
<input name="email" type="email" required aria-describedby="hint"><textarea name="message" required></textarea>
<div class="trap" aria-hidden="true"><input name="website" tabindex="-1"></div><button>Send</button></form></main>
<script>alert(1)</script>`;

let app: AdminApp;
let email: TestEmail;
let to: string | null;
let pages: Map<string, string>;
let pagesRead: number;

beforeEach(async () => {
  to = "owner@example.com";
  pagesRead = 0;
  pages = new Map([
    ["/contact/", contactPage],
    ["/contact/thanks/", "<h1>Thank you</h1>"],
  ]);
  let starting: Promise<TestEmail> | undefined;
  app = await startAdminApp({
    register(server, { guard, clock, db }) {
      starting = startEmail({ db, clock });
      const outbox = {
        enqueue: async (...args: Parameters<TestEmail["outbox"]["enqueue"]>) =>
          (await starting)?.outbox.enqueue(...args) ?? 0,
        wake() {},
      };
      registerContact(server, {
        workers: testWorkers,
        contact: makeContact({ db, clock, outbox, to: async () => to }),
        clock,
        clientOf: makeClientOf({ trustedIps: [], trustProxy: ["127.0.0.1"] }),
        limits: defaultLimits.contact,
        baseUrl: "http://localhost:3000",
        copyOrigins: async () => ["https://copy.example"],
        async page(address) {
          pagesRead += 1;
          return pages.get(address) ?? null;
        },
      });
      registerMessages(server, { guard, db, clock });
    },
  });
  if (starting) email = await starting;
});
afterEach(async () => {
  await email[Symbol.asyncDispose]();
  await app.cleanup();
});

const message = {
  name: "Ada Lovelace",
  email: "ada@example.org",
  message: "Hello,\n\nare you free?",
};
const origin = "http://localhost:3000";

const send = (body: unknown, headers: Record<string, string> = {}) =>
  app.ask("/api/contact", { body, headers: { origin, ...headers } });
const sendForm = (values: Record<string, string>, headers: Record<string, string> = {}) =>
  app.ask("/api/contact", {
    body: new URLSearchParams(values).toString(),
    headers: {
      origin,
      accept: "text/html",
      "content-type": "application/x-www-form-urlencoded",
      ...headers,
    },
  });
const fieldsOf = (response: { json(): { error: object } }) =>
  (response.json().error as { fields?: Record<string, string> }).fields;

async function listed(cookie: string, query = ""): Promise<MessageList> {
  const response = await app.ask(`/api/adminmessages/list${query}`, { headers: { cookie } });
  expect(response.status).toBe(200);
  return response.json().data as unknown as MessageList;
}

describe("a message", () => {
  test("is stored and emailed to the owner, who can reply to its sender", async () => {
    const response = await send(message, from("203.0.113.7"));
    expect(response.status).toBe(200);
    expect(response.json()).toEqual({ ok: true, data: { received: true }, error: null });
    await email.deliver();
    const [arrived] = email.emails();
    expect(arrived).toMatchObject({
      to: "owner@example.com",
      replyTo: "ada@example.org",
      subject: "Message from Ada Lovelace",
      links: ["https://me.example/admin/messages"],
    });
    expect(arrived?.text).toContain("> Hello,\n>\n> are you free?");
    const [retained] = (await listed(await app.signIn())).items;
    expect(retained).toMatchObject({
      ...message,
      ip: "203.0.113.7",
      readAt: null,
      emailStatus: "sent",
    });
  });

  test("abuse 205: a form is accepted from the site's own copies, and from no other site", async () => {
    const cross = { "sec-fetch-site": "cross-site" };
    const values = { ...message, website: "" };
    const copy = await sendForm(values, { ...cross, origin: "https://copy.example" });
    expect(copy).toMatchObject({ status: 303, headers: { location: "/contact/thanks/" } });
    for (const other of ["https://evil.example", "https://copy.example.evil.example", "null"]) {
      const refused = await sendForm(values, { ...cross, origin: other });
      expect([other, refused.json().error.code]).toEqual([other, "bad_origin"]);
    }
    // Nothing lets a browser send JSON from there, and no answer allows it.
    const json = await send(message, { ...cross, origin: "https://copy.example" });
    expect(json.json().error.code).toBe("bad_origin");
    expect(copy.headers["access-control-allow-origin"]).toBeUndefined();
    expect((await listed(await app.signIn())).total).toBe(1);
  });

  test("is stored even if email isn't set up", async () => {
    to = null;
    expect((await send(message)).status).toBe(200);
    const { items } = await listed(await app.signIn());
    expect(items).toMatchObject([{ name: "Ada Lovelace", emailStatus: null }]);
  });

  test("is stored and queued as email together or not at all", async () => {
    to = "nobody";
    expect((await send(message)).status).toBe(422);
    expect(await countMessages(app.db)).toBe(0);
  });

  test("abuse 97: with the honeypot filled it is answered alike, and leaves nothing", async () => {
    const honest = await send(message);
    expect(await countMessages(app.db)).toBe(1);
    await email.deliver();
    for (const website of ["https://spam.example", ["x"], { a: 1 }]) {
      const caught = await send({ ...message, website });
      expect([caught.status, caught.text]).toEqual([200, honest.text]);
    }
    const bare = await send({ website: "x" });
    expect([bare.status, bare.text]).toEqual([200, honest.text]);
    const form = await sendForm({ ...message, website: "x" }, from("203.0.113.9"));
    expect([form.status, form.headers["location"]]).toEqual([303, "/contact/thanks/"]);
    await email.deliver();
    expect(await countMessages(app.db)).toBe(1);
    expect(email.emails()).toHaveLength(1);
    expect((await send({ ...message, website: "  " }, from("203.0.113.8"))).status).toBe(200);
    expect(await countMessages(app.db)).toBe(2);
  });

  test.each([
    ["name", { name: "Ada\r\nBcc: x@example.com" }],
    ["name", { name: "Ada\n" }],
    ["name", { name: " " }],
    ["name", { name: "x".repeat(121) }],
    ["name", { name: ["Ada"] }],
    ["email", { email: "ada@example.org\r\nBcc: x@example.com" }],
    ["email", { email: "ada@example.org\n" }],
    ["email", { email: "ada@example.org, x@example.com" }],
    ["email", { email: "ada" }],
    ["email", { email: `${"x".repeat(250)}@example.org` }],
    ["message", { message: "\n \n" }],
    ["message", { message: "x".repeat(5001) }],
    ["other", { other: 1 }],
  ])("abuse 44 and 98: what is wrong is named: %s", async (field, wrong) => {
    const response = await send({ ...message, ...wrong });
    expect(response.status).toBe(422);
    expect(Object.keys(fieldsOf(response) ?? {})).toEqual([field]);
    expect(await countMessages(app.db)).toBe(0);
    await email.deliver();
    expect(email.emails()).toEqual([]);
  });

  test("abuse 98: markup stays text, at its full length", async () => {
    const html = `<script>alert(1)</script><img src=x onerror="x">`;
    const maxLength = html + "ä".repeat(5000 - html.length);
    const response = await send({ ...message, name: "<b>Ada</b>", message: maxLength });
    expect(response.status).toBe(200);
    const [retained] = (await listed(await app.signIn())).items;
    expect(retained).toMatchObject({ name: "<b>Ada</b>", message: maxLength });
    await email.deliver();
    const [arrived] = email.emails();
    expect(arrived?.subject).toBe("Message from <b>Ada</b>");
    expect(arrived?.html).not.toMatch(/<script|<img|<b>/);
    expect(arrived?.html).toContain("&lt;script&gt;");
  });

  test("abuse 98: a megabyte is too large, as JSON and as a form", async () => {
    const huge = { ...message, message: "x".repeat(1024 * 1024) };
    const response = await send(huge);
    expect([response.status, response.json().error.code]).toEqual([413, "too_large"]);
    const form = await sendForm(huge);
    expect(form.status).toBe(413);
    expect(form.text).toContain("too long");
  });

  test("abuse 98: the longest message fits as a form, whatever it is written in", async () => {
    const response = await sendForm({ ...message, message: "漢".repeat(5000) });
    expect(response.status).toBe(303);
    expect(await countMessages(app.db)).toBe(1);
  });

  test("abuse 98: a flood ends after five, for that client alone and for ten minutes", async () => {
    const client = from("203.0.113.7");
    for (let n = 0; n < 5; n += 1) expect((await send(message, client)).status).toBe(200);
    const refused = await send(message, client);
    expect([refused.status, refused.json().error.code]).toEqual([429, "throttled"]);
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
    expect((await send({ ...message, website: "x" }, client)).status).toBe(429);
    const form = await sendForm(message, client);
    expect(form.status).toBe(429);
    expect(form.text).toContain("are you free?");
    expect((await send(message, from("203.0.113.8"))).status).toBe(200);
    app.clock.advance(10 * 60_000);
    expect((await send(message, client)).status).toBe(200);
    expect(await countMessages(app.db)).toBe(7);
  });

  test("abuse 249: a flood from many addresses ends after 200 messages an hour", async () => {
    const limit = defaultLimits.contact.totalPerHour;
    const statuses = await Promise.all(
      Array.from({ length: limit + 3 }, async (_, n) => {
        return (await send(message, from(`2001:db8:0:${n.toString(16)}::1`))).status;
      }),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(limit);
    expect(statuses.filter((status) => status === 429)).toHaveLength(3);
    expect(await countMessages(app.db)).toBe(limit);
    const form = await sendForm(message, from("203.0.113.9"));
    expect(form.status).toBe(429);
    expect(Number(form.headers["retry-after"])).toBe(3600);
    expect(form.text).toContain("are you free?");
    // This machine itself is never throttled.
    expect((await send(message)).status).toBe(200);
    app.clock.advance(60 * 60_000);
    expect((await send(message, from("203.0.113.10"))).status).toBe(200);
  });

  test("abuse 98: refused forms make work for a while only, and keep what was typed after that", async () => {
    const client = from("203.0.113.7");
    let text = "";
    for (let n = 0; n < 25; n += 1) {
      const response = await sendForm({ ...message, email: "nobody" }, client);
      expect(response.status).toBe(422);
      text = response.text;
    }
    expect(pagesRead).toBe(20);
    expect(text).not.toContain("Write to me");
    expect(text).toContain("are you free?");
    const other = await sendForm({ ...message, email: "nobody" }, from("203.0.113.8"));
    expect(other.text).toContain("Write to me");
  });

  test("abuse 43: a forged host leads no link of the email elsewhere", async () => {
    const forged = { host: "evil.example", "x-forwarded-host": "evil.example" };
    const response = await send(message, { ...from("203.0.113.7"), ...forged });
    expect(response.status).toBe(200);
    await email.deliver();
    const [arrived] = email.emails();
    expect(arrived?.links).toEqual(["https://me.example/admin/messages"]);
    expect(email.smtp.emails[0]?.source).not.toContain("evil.example");
  });

  test("abuse 46: many visitors at once don't flood the owner's mail, and nothing they wrote is lost", async () => {
    for (let n = 1; n <= 33; n += 1) {
      expect((await send(message, from(`198.51.100.${n}`))).status).toBe(200);
    }
    await email.deliver();
    expect(email.emails()).toHaveLength(30);
    expect(await countMessages(app.db)).toBe(33);
    app.clock.advance(60 * 60_000);
    await send(message, from("198.51.100.99"));
    await email.deliver();
    expect(email.emails()).toHaveLength(31);
  });

  test("an invalid form doesn't count toward the five", async () => {
    const client = from("203.0.113.7");
    for (let n = 0; n < 8; n += 1) {
      expect((await sendForm({ ...message, email: "ada" }, client)).status).toBe(422);
    }
    expect((await sendForm(message, client)).status).toBe(303);
  });

  test("from another site's page is refused, and none of its text is shown", async () => {
    const foreign = { origin: "https://evil.example" };
    expect((await send(message, foreign)).json().error.code).toBe("bad_origin");
    const form = await sendForm(message, foreign);
    expect([form.status, form.json().error.code]).toEqual([403, "bad_origin"]);
    expect(form.text).not.toContain("Ada");
    const sameSite = await send(message, { "sec-fetch-site": "same-site" });
    expect(sameSite.status).toBe(403);
    expect(await countMessages(app.db)).toBe(0);
  });

  test("can be sent by anyone and read only by the admin", async () => {
    const read = await app.ask("/api/contact");
    expect([read.status, read.headers["allow"]]).toEqual([405, "POST"]);
    const plain = { "content-type": "text/plain" };
    expect((await send("hello", plain)).status).toBe(415);
    expect((await send("{", {})).json().error.code).toBe("malformed_json");
  });
});

describe("a form without JavaScript", () => {
  test("leads to the thank-you page", async () => {
    const response = await sendForm({ ...message, message: "a\r\nb", website: "" });
    expect([response.status, response.headers["location"]]).toEqual([303, "/contact/thanks/"]);
    const [retained] = (await listed(await app.signIn())).items;
    expect(retained?.message).toBe("a\nb");
  });

  test("confirms the message even if the site has no thank-you page", async () => {
    pages.delete("/contact/thanks/");
    const response = await sendForm(message);
    expect(response.status).toBe(200);
    expect(response.text).toContain("Your message has been sent");
  });

  test("returns the page it was on, with everything that was typed and the errors", async () => {
    const typed = { name: 'Ada "<i>', email: "ada@", message: "\n</textarea><script>x</script>" };
    const response = await sendForm(typed);
    expect(response.status).toBe(422);
    expect(response.headers["content-type"]).toContain("text/html");
    expect(response.headers["content-security-policy"]).toContain("default-src 'none'");
    expect(response.headers["cache-control"]).toBe("no-store");
    const { text } = response;
    expect(text).toContain("<title>Not sent yet: Contact · Me</title>");
    expect(text).toContain("<h1>Write to me</h1>");
    expect(text).toContain('value="Ada &quot;&lt;i&gt;"');
    expect(text).toContain("&lt;/textarea&gt;&lt;script&gt;x&lt;/script&gt;</textarea>");
    expect(text).not.toMatch(/<script/);
    expect(text).toMatch(
      /<div class="notice bad" role="alert"><p>Your message hasn’t been sent yet/,
    );
    expect(text).toMatch(/name="email"[^>]*value="ada@"[^>]*aria-invalid="true"/);
    expect(text).toContain('aria-describedby="hint email-error"');
    expect(text).toContain('<p class="field-error" id="email-error">Must be an email address');
    expect(text).not.toMatch(/name="website"[^>]*value/);
    expect(await countMessages(app.db)).toBe(0);
  });

  test("returns the page of this site that it was sent from, and no other site's", async () => {
    pages.set("/", `<title>Home</title><h1>Home</h1>${contactPage}`);
    const { host } = new URL(app.url);
    const at = (referer: string) => sendForm({ ...message, name: "" }, { referer });
    expect((await at(`http://${host}/`)).text).toContain("<h1>Home</h1>");
    expect((await at("http://evil.example/")).text).not.toContain("<h1>Home</h1>");
    expect((await at(`http://${host}/about/`)).text).toContain("Write to me");
  });

  test("can have the owner's own fields; their values are added below the message", async () => {
    const own = { phone: "+46 1", budget: "", website: "" };
    pages.set("/contact/", contactPage.replace("<button>", '<input name="phone"><button>'));
    const back = await sendForm({ ...message, ...own, email: "ada" });
    expect(back.text).toContain('<input name="phone" value="+46 1">');
    expect(back.text).toContain("are you free?</textarea>");
    expect((await sendForm({ ...message, ...own })).status).toBe(303);
    const [retained] = (await listed(await app.signIn())).items;
    expect(retained?.message).toBe("Hello,\n\nare you free?\n\nphone: +46 1");
    const many = (length: number) =>
      Object.fromEntries(Array.from({ length }, (_, n) => [`f${n}`, "x"]));
    expect((await sendForm({ ...message, ...many(60) })).status).toBe(303);
    // Abuse 118: more than any form has.
    expect((await sendForm({ ...message, ...many(900) })).status).toBe(413);
    expect((await sendForm({ ...own, name: "A", email: "a@example.org" })).status).toBe(422);
  });

  test("is returned with errors even if the site has no page with the form", async () => {
    pages.clear();
    const response = await sendForm({ ...message, name: "" });
    expect(response.status).toBe(422);
    expect(response.text).toContain("are you free?</textarea>");
    expect(response.text).toContain(`<p class="field-error" id="name-error">Can't be empty.</p>`);
  });
});
