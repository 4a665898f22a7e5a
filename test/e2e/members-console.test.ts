import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { MemberProject } from "../../packages/server/src/features/members/schema.ts";
import type { ProjectList } from "../../packages/server/src/features/projects/schema.ts";
import { axe } from "../support/axe.ts";
import { launchBrowser, openPage, themeAt } from "../support/browser.ts";
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

async function open(path: string) {
  const opened = await openPage(browser, {
    viewport: { width: 1440, height: 900 },
    storageState: session,
    bypassCSP: true,
  });
  await opened.page.goto(`${instance.baseUrl}${path}`);
  return opened;
}

/** In both themes, on a telephone and on a desk: nothing is wrong and nothing is too wide. */
async function look(page: Page): Promise<void> {
  for (const width of [390, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    const wide = "document.documentElement.scrollWidth > innerWidth";
    expect(await page.evaluate(wide)).toBe(false);
    await page.emulateMedia({ colorScheme: themeAt(width) });
    expect(await axe(page)).toEqual([]);
  }
}

const main = (page: Page) => page.locator("main");
const project = async (id: number) =>
  (await ask<{ projects: MemberProject[] }>("/api/adminmembers/projects")).projects.find(
    (one) => one.id === id,
  );

test("a project is restricted, people are invited, their visits appear, and access is revoked", async () => {
  const list = await ask<ProjectList>("/api/adminprojects/list");
  const { id, name, slug } = list.items[0] ?? { id: 0, name: "", slug: "" };
  const { page, errors } = await open("/admin/members");
  await main(page).getByText("No project is limited to members").waitFor();
  await look(page);

  await page.goto(`${instance.baseUrl}/admin/projects/edit?id=${id}`);
  await page.getByLabel("Who can see it").selectOption("invited");
  await main(page).getByText("people you invite can see it after signing in").waitFor();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("link", { name: "Invite people and see who opened it" }).click();

  await page.getByRole("heading", { name, level: 1 }).waitFor();
  const addresses = page.getByLabel("Email addresses");
  await page.getByRole("button", { name: "Invite", exact: true }).click();
  await main(page).getByText("Enter at least one address.").waitFor();
  await addresses.fill("Ada Lovelace <Ada@client.example>; nobody\nbo@client.example");
  await page.getByRole("button", { name: "Invite 2 people" }).click();
  await main(page).getByText("Not an email address: “nobody”.").waitFor();
  await eventually(async () =>
    expect(await addresses.evaluate("document.activeElement?.name")).toBe("emails"),
  );
  await addresses.fill("Ada Lovelace <Ada@client.example>; bo@client.example");
  await page.getByLabel("Personal message").fill("As said on Tuesday.");
  await page.getByRole("button", { name: "Invite 2 people" }).click();
  await main(page).getByText("2 emails on the way.").waitFor();
  await page.getByRole("heading", { name: "bo@client.example" }).waitFor();
  await eventually(() => expect(smtp.emails).toHaveLength(2));
  await look(page);

  // What arrived leads in; the project is there once it is built aside.
  const email = smtp.emails.find(({ to }) => to.includes("ada@client.example"));
  const read = readMessage(email?.source ?? "");
  expect(read.text).toContain("As said on Tuesday.");
  const link = /https?:\S+invite=\S+/.exec(read.text)?.[0] ?? "";
  await eventually(async () => expect((await project(id))?.build.status).toBe("ready"), 120_000);
  const guest = await openPage(browser, { javaScriptEnabled: false });
  await guest.page.goto(link);
  await guest.page.getByLabel("Password").fill("a horse with a hat");
  await guest.page.getByRole("button", { name: "Create account" }).click();
  await guest.page.getByRole("heading", { name, level: 1 }).waitFor();
  expect(new URL(guest.page.url()).pathname).toBe(`/projects/${slug}/`);

  await page.reload();
  await main(page).getByText("Opened once").waitFor();
  await page.goto(`${instance.baseUrl}/admin/projects`);
  await page.getByRole("link", { name: `Invited: who sees ${name}` }).click();
  const takeBack = page.getByRole("button", {
    name: "Revoke the invitation for ada@client.example",
  });
  await takeBack.focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Escape");
  await takeBack.press("Enter");
  await page.getByRole("button", { name: "Revoke", exact: true }).click();
  await main(page)
    .getByText(/^Invited .* revoked /)
    .waitFor();
  expect((await guest.page.reload())?.status()).toBe(404);
  expect(errors).toEqual([]);
});

test("people with an account are found and removed after a confirmation", async () => {
  const { page } = await open("/admin/members?view=people");
  await page.getByRole("button", { name: "Remove the account of ada@client.example" }).waitFor();
  await look(page);
  await page.getByLabel("Search people").fill("nobody-of-that-name");
  await page.getByRole("button", { name: "Show all people" }).click();
  await page.getByRole("button", { name: "Remove the account of ada@client.example" }).click();
  await page.getByText("They’re signed out everywhere").waitFor();
  await page.getByRole("button", { name: "Remove", exact: true }).click();
  await main(page).getByText("No accounts yet.").waitFor();
  expect(await ask("/api/adminmembers/list")).toMatchObject({ total: 0 });
});

test("a failed request shows an error and is retried on request", async () => {
  const { page } = await open("/admin/media");
  await page.route("**/api/adminmembers/**", (route) => route.abort());
  await page.goto(`${instance.baseUrl}/admin/members`);
  await main(page).getByText("Couldn’t load the projects.").waitFor({ timeout: 30_000 });
  await look(page);
  await page.unroute("**/api/adminmembers/**");
  await page.getByRole("button", { name: "Retry" }).click();
  await page.getByRole("list", { name: "Projects with limited access" }).waitFor();
  await page.goto(`${instance.baseUrl}/admin/members?project=999999`);
  await main(page).getByText("This project is public or doesn’t exist.").waitFor();
  expect(await page.getByLabel("Email addresses").count()).toBe(0);
});
