import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { axe } from "../support/axe.ts";
import { launchBrowser, openPage } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { startInstance, type TestInstance } from "../support/instance.ts";
import { readMessage } from "../support/message.ts";
import { startSmtp, type TestSmtp } from "../support/smtp.ts";

let browser: Browser;
let instance: TestInstance;
let smtp: TestSmtp;
let session: Awaited<ReturnType<BrowserContext["storageState"]>>;

beforeAll(async () => {
  [browser, instance, smtp] = await Promise.all([launchBrowser(), startInstance(), startSmtp()]);
  const context = await browser.newContext();
  await (await context.newPage()).goto(await instance.link());
  session = await context.storageState();
  await context.close();
  const server = { host: "127.0.0.1", port: smtp.port, secure: false, user: null };
  const email = { to: "owner@example.com", from: "site@example.com", provider: null, smtp: server };
  await ask("/api/adminsettings/email", email);
});
afterAll(async () => {
  await browser?.close();
  await instance?.[Symbol.asyncDispose]();
  await smtp?.[Symbol.asyncDispose]();
});
beforeEach(async () => {
  smtp.answers = null;
  smtp.emails.length = 0;
  const { items } = await ask<{ items: { id: number }[] }>("/api/adminmessages/list?perPage=100");
  const ids = items.map(({ id }) => id);
  if (ids.length > 0) await ask("/api/adminmessages/delete", { ids });
});

/** Asks as the admin does. */
async function ask<T>(path: string, body?: unknown): Promise<T> {
  const cookie = session.cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
  const json = { "content-type": "application/json" };
  const response = await fetch(`${instance.baseUrl}${path}`, {
    headers: { cookie, origin: instance.baseUrl, ...(body === undefined ? {} : json) },
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
  });
  const { ok, data, error } = (await response.json()) as { ok: boolean; data: T; error: unknown };
  if (!ok) throw new Error(JSON.stringify(error));
  return data;
}

async function write(
  name: string,
  message = `Hello from ${name}.\n\nAre you free?`,
): Promise<void> {
  const email = `${name.toLowerCase().replaceAll(/[^a-z]/g, "")}@example.org`;
  await ask("/api/contact", { name, email, message });
}

async function open(path: string, width = 1440, colorScheme: "light" | "dark" = "light") {
  const opened = await openPage(browser, {
    viewport: { width, height: 900 },
    colorScheme,
    storageState: session,
    bypassCSP: true,
  });
  await opened.page.goto(`${instance.baseUrl}${path}`);
  return opened;
}

const names = (page: Page) => page.locator(".message-name").allInnerTexts();

test("what is written on the site is mailed, listed, read, answered and deleted", async () => {
  for (const name of ["Ada", "Grace", "Mary"]) await write(name);
  await eventually(() => expect(smtp.emails).toHaveLength(3));
  // Emails that wait together leave in any order.
  const emails = smtp.emails.map((email) => readMessage(email.source));
  const arrived = emails.find((email) => email.replyTo === "ada@example.org");
  expect(arrived?.subject).toBe("Message from Ada");
  expect(arrived?.text).toContain(`${instance.baseUrl}/admin/messages`);

  const { page, errors } = await open("/admin/messages");
  await page.getByRole("heading", { name: "Messages", level: 1 }).waitFor();
  await page.getByText("Are you free?").first().waitFor();
  expect((await names(page)).map((name) => name.replace(/^Unread:\s+/, ""))).toEqual([
    "Mary",
    "Grace",
    "Ada",
  ]);
  await page.getByRole("button", { name: /^Unread: Grace/ }).click();
  await page.getByRole("link", { name: "Reply by email" }).waitFor();
  expect(await page.locator(".message-text").innerText()).toBe(
    "Hello from Grace.\n\nAre you free?",
  );
  const reply = await page.getByRole("link", { name: "Reply by email" }).getAttribute("href");
  expect(reply).toMatch(/^mailto:grace%40example\.org\?subject=Re%3A/);
  await page.getByRole("button", { name: /^Grace/ }).waitFor();
  await page.getByRole("radio", { name: /^Unread/ }).check();
  await eventually(async () => expect(await names(page)).toHaveLength(2));
  const start = await (await page.request.get(`${instance.baseUrl}/admin`)).text();
  expect(start.replaceAll(/<[^>]*>|\s+/g, " ")).toMatch(/\b2 +unread messages\b/);
  await page.getByRole("radio", { name: /^All/ }).check();
  await page.getByRole("searchbox", { name: "Search messages" }).fill("mary");
  await eventually(async () => expect(await names(page)).toHaveLength(1));
  await page.getByRole("searchbox", { name: "Search messages" }).fill("");
  await eventually(async () => expect(await names(page)).toHaveLength(3));

  await page.getByRole("checkbox", { name: "Select the message from Ada" }).check();
  await page.getByRole("checkbox", { name: "Select the message from Mary" }).check();
  const bulk = page.getByRole("region", { name: "Selected messages" });
  await bulk.getByText("2 messages selected").waitFor();
  await bulk.getByRole("button", { name: "Delete" }).click();
  const question = page.getByRole("alertdialog", { name: "Delete 2 messages?" });
  await eventually(async () => expect(await page.locator(":focus").innerText()).toBe("Cancel"));
  await question.getByRole("button", { name: "Delete" }).click();
  await eventually(async () => expect(await names(page)).toHaveLength(1));
  await eventually(async () => expect(await page.locator(":focus").innerText()).toBe("Messages"));

  await page.getByRole("button", { name: "Export all messages" }).click();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "As a table (CSV)" }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^messages-\d{4}-\d\d-\d\d\.csv$/);
  expect(errors).toEqual([]);
  await page.context().close();
});

test("a list that can't be read says so and comes back; an empty one says what comes here", async () => {
  const { page } = await open("/admin/messages");
  await page.getByText("No messages yet.").waitFor();
  await page.route("**/api/adminmessages/list**", (route) => route.abort());
  await page.reload();
  await page.getByText("Couldn’t load the messages.").waitFor();
  await page.unroute("**/api/adminmessages/list**");
  await page.getByRole("button", { name: "Retry" }).click();
  await page.getByText("No messages yet.").waitFor();
  expect(await page.getByRole("alert").count()).toBe(0);
  await page.context().close();
});

test("the deliveries show what nobody took, and send it again", async () => {
  smtp.answers = 550;
  await write("Ada");
  const { page, errors } = await open("/admin/settings#deliveries");
  const list = page.getByRole("region", { name: "Recent deliveries" });
  const refused = list.getByRole("listitem").filter({ hasText: "Message from Ada" }).first();
  await refused.getByText("Refused", { exact: true }).waitFor();
  await refused.getByText("Why it wasn’t delivered").click();
  await refused.getByText(/SMTP: .*550/).waitFor();
  smtp.answers = null;
  await refused.getByRole("button", { name: /^Send again/ }).click();
  await refused.getByText("Sent by SMTP").waitFor();
  expect(smtp.emails.map(({ to }) => to)).toEqual([["owner@example.com"]]);
  await page.getByRole("button", { name: "Send test email" }).click();
  await list.getByText("Test email from your site").first().waitFor();
  expect(errors).toEqual([]);
  await page.context().close();
});

test.each([390, 1440])("both fit %i px, in both themes, and break no rule", async (width) => {
  await write("A name that is as long as names can be, and goes on and on", "x".repeat(300));
  await write("Grace", `https://example.org/${"very-long".repeat(40)}\n\n<b>text</b>`);
  smtp.answers = 451;
  await write("Mary");
  for (const scheme of ["light", "dark"] as const) {
    for (const path of ["/admin/messages", "/admin/settings#deliveries"]) {
      const { page } = await open(path, width, scheme);
      if (path === "/admin/messages") {
        await page.getByRole("button", { name: /Grace/ }).click();
        await page.getByRole("checkbox", { name: "Select the message from Mary" }).check();
        await page.getByRole("link", { name: "Reply by email" }).waitFor();
      } else {
        await page.getByText("Message from Mary").first().waitFor();
      }
      const wide = await page.evaluate<number>("document.documentElement.scrollWidth");
      expect(wide).toBeLessThanOrEqual(width);
      const include = path === "/admin/messages" ? "main" : ".deliveries";
      expect(await axe(page, { include })).toEqual([]);
      await page.context().close();
    }
  }
});
