import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { axe } from "../support/axe.ts";
import { launchBrowser, openPage, themeAt } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { startInstance, type TestInstance } from "../support/instance.ts";
import { startOidc, type TestOidc } from "../support/oidc.ts";
import { startS3Server } from "../support/publish-targets/s3-server.ts";

let browser: Browser;
let instance: TestInstance;
let oidc: TestOidc;
let session: Awaited<ReturnType<BrowserContext["storageState"]>>;

beforeAll(async () => {
  [browser, instance] = await Promise.all([launchBrowser(), startInstance()]);
  const callbacks = [`${instance.baseUrl}/api/account/oauth/work/callback`];
  oidc = await startOidc({ callbacks });
  const context = await browser.newContext();
  await (await context.newPage()).goto(await instance.link());
  // No email is set up here, and sign-up would wait for it.
  await instance.vitrine(["setting", "set", "accounts"], '{"signUp":"open"}');
  session = await context.storageState();
  await context.close();
});

afterAll(async () => {
  await browser?.close();
  await instance?.[Symbol.asyncDispose]();
  await oidc?.[Symbol.asyncDispose]();
});

/** On a narrow page what is too wide shows. */
async function open(path: string, width = 390): Promise<{ page: Page; errors: string[] }> {
  const opened = await openPage(browser, {
    viewport: { width, height: 900 },
    storageState: session,
    permissions: ["clipboard-read", "clipboard-write"],
  });
  await opened.page.goto(`${instance.baseUrl}/admin/${path}`);
  return opened;
}

const form = (page: Page, name: string) => page.getByRole("form", { name });

async function expectSound(page: Page): Promise<void> {
  await page.emulateMedia({ colorScheme: themeAt(page.viewportSize()?.width ?? 0) });
  const violations = await axe(page);
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
  const wide = "({ scrollWidth, clientWidth }) => scrollWidth > clientWidth";
  const places = "[...document.querySelectorAll('html, dialog, .provider')]";
  expect(await page.evaluate(`${places}.some(${wide})`)).toBe(false);
}

/** What a page goes by: what is chosen, and what it is drawn in. */
async function themeOf(page: Page): Promise<unknown> {
  const scheme = "getComputedStyle(document.documentElement).colorScheme";
  const shown = "document.querySelector('[data-themes]').value";
  return page.evaluate(`[${shown}, ${scheme}]`);
}

test("the visitor's theme applies on every page, even pages with password fields", async () => {
  const { page, errors } = await openPage(browser, { colorScheme: "dark" });
  await page.goto(`${instance.baseUrl}/`);
  expect(await themeOf(page)).toEqual(["system", "light dark"]);
  const choice = page.getByRole("combobox", { name: "Theme" });
  const box = await choice.boundingBox();
  expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(44);
  await choice.focus();
  await page.keyboard.press("ArrowDown");
  expect(await themeOf(page)).toEqual(["light", "light"]);
  await page.getByRole("link", { name: "About" }).first().click();
  await page.waitForURL("**/about/");
  expect(await themeOf(page)).toEqual(["light", "light"]);
  await page.goto(`${instance.baseUrl}/account`);
  expect(await themeOf(page)).toEqual(["light", "light"]);
  await choice.selectOption("Dark");
  await page.goto(`${instance.baseUrl}/contact/`);
  await page.evaluate(`void (document.querySelector("form[method=post]").noValidate = true)`);
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByRole("alert").waitFor();
  expect(await themeOf(page)).toEqual(["dark", "dark"]);
  await page.emulateMedia({ media: "print" });
  expect(await themeOf(page)).toEqual(["dark", "light"]);
  expect(errors.filter((error) => !error.includes("422"))).toEqual([]);
  await page.context().close();
});

test("without storage, a theme applies to the current page; without JavaScript, there is no choice", async () => {
  const { page, errors } = await openPage(browser);
  // As in a preview, which has an origin of its own.
  await page.addInitScript(
    "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no') } })",
  );
  await page.goto(`${instance.baseUrl}/`);
  await page.getByRole("combobox", { name: "Theme" }).selectOption("Dark");
  expect(await themeOf(page)).toEqual(["dark", "dark"]);
  expect(errors).toEqual([]);
  await page.context().close();
  const plain = await openPage(browser, { javaScriptEnabled: false });
  await plain.page.goto(`${instance.baseUrl}/`);
  expect(await plain.page.getByRole("combobox", { name: "Theme" }).count()).toBe(0);
  await plain.page.context().close();
});

test("the owner's name, time zone, and theme apply to the console and the public site", async () => {
  const { page, errors } = await open("settings");
  const owner = form(page, "Site owner");
  await owner.getByLabel("Name", { exact: true }).fill("");
  await owner.getByLabel("Time zone").fill("");
  await owner.getByRole("button", { name: "Save owner" }).click();
  const focused = () => page.locator(":focus").getAttribute("name");
  await eventually(async () => expect(await focused()).toBe("name"));
  // Fixing one mistake leaves the other in sight, and the focus where it is.
  await page.keyboard.type("Ada Sample");
  await owner.getByText("Enter the site owner’s name.").waitFor({ state: "detached" });
  expect(await owner.getByText("Enter a time zone.").count()).toBe(1);
  expect(await owner.getByLabel("Name", { exact: true }).inputValue()).toBe("Ada Sample");
  await owner.getByLabel("Time zone").fill("Mars/Olympus");
  await owner.getByRole("button", { name: "Save owner" }).click();
  await owner.getByText("Must be a time zone such as Europe/Stockholm.").waitFor();
  await eventually(async () => expect(await focused()).toBe("timeZone"));
  await owner.getByLabel("Time zone").fill("Pacific/Kiritimati");
  await owner.getByRole("button", { name: "Preview" }).click();
  await owner.getByText(/^The time there is .*\.$/).waitFor();
  const themeForm = form(page, "Theme");
  await themeForm.getByRole("radio", { name: "Set by the site’s source" }).focus();
  await page.keyboard.press("ArrowUp");
  expect(await themeForm.getByRole("radio", { name: "Vellum" }).isChecked()).toBe(true);
  await themeForm.getByRole("radio", { name: "Teal" }).check();
  await themeForm.getByRole("button", { name: "Save theme" }).click();
  await themeForm.getByText("Saved", { exact: true }).waitFor();
  await owner.getByRole("button", { name: "Save owner" }).click();
  await owner.getByText("Saved", { exact: true }).waitFor();
  await page.reload();
  await page.getByRole("banner").getByRole("link", { name: "Ada Sample" }).waitFor();
  expect(await page.locator("#manage").getAttribute("data-time-zone")).toBe("Pacific/Kiritimati");
  await owner.getByText("Your pages still name the sample person.").waitFor();
  await eventually(async () => {
    const response = await fetch(`${instance.baseUrl}/changelog`);
    // By UTC that entry is of the day before.
    const html = await response.text();
    expect(html).toMatch(/29 Oct 2026, 04:20/);
    expect(html).toContain('data-look="vellum" data-accent="teal"');
  }, 120_000);
  // Of the fonts only the look's own are fetched.
  const fonts: string[] = [];
  page.on("request", (request) => {
    const font = /\/_astro\/([a-z-]+)-latin.*\.woff2$/.exec(request.url())?.[1];
    if (font !== undefined) fonts.push(font);
  });
  await page.goto(`${instance.baseUrl}/`, { waitUntil: "load" });
  await page.evaluate("document.fonts.ready.then(() => null)");
  expect([...new Set(fonts)]).toEqual(["newsreader"]);
  expect(errors.filter((error) => !error.includes("422"))).toEqual([]);
  await page.context().close();
});

test("an identity provider is added, tested, used, moved, and removed; its secret is never shown", async () => {
  const { page, errors } = await open("settings#identity");
  await page.getByRole("button", { name: "Add Google" }).click();
  const dialog = page.getByRole("dialog");
  expect(await dialog.getByLabel("Issuer").inputValue()).toBe("https://accounts.google.com");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByText("Enter the client ID from the provider.").waitFor();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });

  await page.getByRole("button", { name: "Add another provider" }).click();
  await dialog.getByLabel("Name", { exact: true }).fill("Work");
  await dialog.getByLabel("Short name").fill("work");
  await dialog.getByText(`${instance.baseUrl}/api/account/oauth/work/callback`).waitFor();
  await dialog.getByLabel("Issuer").fill(oidc.issuer);
  await dialog.getByLabel("Client ID").fill(oidc.clientId);
  await dialog.getByLabel("Client secret").fill(oidc.clientSecret);
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  const row = page.locator("[data-provider=work]");
  await row.getByRole("button", { name: "Test Work" }).click();
  await row.getByText("It accepts the client ID and secret.").waitFor();
  expect(oidc.described).toBeGreaterThan(0);
  expect(await page.content()).not.toContain(oidc.clientSecret);

  oidc.user = { sub: "u-1", email: "ada@work.example", email_verified: true, name: "Ada" };
  const visitor = await openPage(browser, { javaScriptEnabled: false });
  await visitor.page.goto(`${instance.baseUrl}/account`);
  await visitor.page.getByRole("link", { name: /Work/ }).click();
  await visitor.page.waitForURL(`${instance.baseUrl}/account`);
  await visitor.page.getByText("ada@work.example").first().waitFor();

  // Another place gets no secret that was not given for it.
  await row.getByRole("button", { name: "Edit Work" }).click();
  await dialog.getByText("A secret is saved.").waitFor();
  await dialog.getByLabel("Issuer").fill("https://elsewhere.example");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByText("Enter the client secret.").waitFor();
  await dialog.getByLabel("Issuer").fill(oidc.issuer);
  await dialog.getByLabel("Client secret").fill("not the secret");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  await row.getByRole("button", { name: "Test Work" }).click();
  await row.getByText("The provider can’t be used with these settings.").waitFor();

  await row.getByRole("button", { name: "Turn off Work" }).click();
  await row.getByText("Off", { exact: true }).waitFor();
  await row.getByRole("button", { name: "Delete Work" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("None yet. People sign in with an email address").waitFor();
  expect(errors.filter((error) => !error.includes("502"))).toEqual([]);
  expect(instance.log()).not.toContain(oidc.clientSecret);
  await page.context().close();
});

test("a publish target is added, gets the site, fails visibly, and is paused and removed", async () => {
  await using server = await startS3Server();
  const { page, errors } = await open("settings#targets");
  const section = page.getByRole("region", { name: "Publish targets" });
  await section.getByText("None yet.").waitFor();
  await section.getByRole("button", { name: "Add S3 bucket" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByText("Enter the name of the bucket.").waitFor();
  await expectSound(page);
  await dialog.getByLabel("Name", { exact: true }).fill("CDN");
  await dialog.getByLabel("Endpoint").fill(server.endpoint);
  await dialog.getByLabel("Bucket", { exact: true }).fill(server.bucket);
  await dialog.getByLabel("Region").fill("eu-central-1");
  await dialog.getByLabel("Access key ID").fill(server.accessKeyId);
  await dialog.getByLabel("Secret key").fill(server.secretAccessKey);
  await dialog.getByLabel("Address of the copy").fill("https://copy.example");
  await dialog.getByLabel("Contact form and account links").selectOption("Lead to this server");
  await dialog.getByRole("button", { name: "Save" }).click();
  const row = section.getByRole("listitem").filter({ hasText: "CDN" });
  await row.getByText("Up to date").waitFor({ timeout: 60_000 });
  const objects = await server.objects();
  const action = `action="${instance.baseUrl}/api/contact"`;
  expect(objects.get("contact/index.html")?.text).toContain(action);
  expect(objects.get("index.html")?.text).toContain("Content-Security-Policy");
  await row.getByRole("button", { name: "Test CDN" }).click();
  await row.getByText("Vitrine can write to and remove from the bucket site.").waitFor();
  await expectSound(page);
  server.refuse(10_000, 403);
  await row.getByRole("button", { name: "Send everything again to CDN" }).click();
  await row.getByText("The bucket refused the request (SlowDown).").waitFor({ timeout: 60_000 });
  await row.getByText("Next attempt:").waitFor();
  await expectSound(page);
  await page.goto(`${instance.baseUrl}/admin`);
  await page.getByRole("link", { name: "Your site couldn’t be sent to “CDN”" }).click();
  await row.getByRole("button", { name: "Pause CDN" }).click();
  await row.getByText("Paused", { exact: true }).waitFor();
  server.refuse(0, 0);
  await row.getByRole("button", { name: "Resume CDN" }).click();
  await row.getByText("Up to date").waitFor({ timeout: 60_000 });
  await row.getByRole("button", { name: "Remove CDN" }).click();
  await page.getByRole("button", { name: "Remove", exact: true }).click();
  await section.getByText("None yet.").waitFor();
  expect(errors).toEqual([]);
  await page.context().close();
});

test("sign-up and autofix are set separately, and the queue is previewed", async () => {
  const { page, errors } = await open("settings");
  const accounts = form(page, "Accounts");
  await accounts.getByRole("radio", { name: "Only people you invite" }).check();
  await accounts.getByText("Unsaved changes").waitFor();
  const autofix = form(page, "QA autofix");
  await autofix.getByRole("button", { name: "Preview queue" }).click();
  await autofix.getByText("Nothing to queue right now.").waitFor();
  await autofix.getByRole("checkbox").uncheck();
  await autofix.getByRole("button", { name: "Save autofix" }).click();
  await autofix.getByText("Saved", { exact: true }).waitFor();
  await accounts.getByText("Unsaved changes").waitFor();
  await accounts.getByRole("button", { name: "Save accounts" }).click();
  await accounts.getByText("Saved", { exact: true }).waitFor();
  await page.reload();
  expect(await accounts.getByRole("radio", { name: "Only people you invite" }).isChecked()).toBe(
    true,
  );
  expect(await autofix.getByRole("checkbox").isChecked()).toBe(false);
  const budgets = form(page, "Budgets");
  await budgets.getByRole("button", { name: "Refresh usage" }).click();
  await page.getByText("0 tokens today, 0 this month.").waitFor();
  expect(errors).toEqual([]);
  await page.context().close();
});

test("an API token is created, copied, used, and revoked", async () => {
  const { page, errors } = await open("tokens");
  await page.getByText("No tokens yet").waitFor();
  await page.getByRole("button", { name: "Create token" }).click();
  await page.getByRole("dialog").getByLabel("Name", { exact: true }).fill("backup");
  await page.getByLabel("Permissions").selectOption("write");
  await page.keyboard.press("Control+Enter");
  const shown = page.getByRole("alertdialog");
  await shown.getByRole("button", { name: "Copy: The token" }).click();
  await shown.getByRole("button", { name: "Copied: The token" }).waitFor();
  const token = String(await page.evaluate("navigator.clipboard.readText()"));
  expect(token).toMatch(/^vit_/);
  await expectSound(page);
  await shown.getByRole("button", { name: "I’ve saved it" }).click();
  await shown.waitFor({ state: "detached" });
  expect(await page.content()).not.toContain(token);

  const ping = () =>
    fetch(`${instance.baseUrl}/api/admin/ping`, { headers: { authorization: `Bearer ${token}` } });
  expect((await ping()).status).toBe(200);
  await page.reload();
  await page.getByText("last used").waitFor();
  expect(await page.content()).not.toContain(token);
  await page.getByRole("button", { name: "Revoke “backup”" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Revoke" }).click();
  await page.getByText(/Read and change · Revoked/).waitFor();
  expect((await ping()).status).toBe(401);
  expect(errors).toEqual([]);
  expect(instance.log()).not.toContain(token);
  await page.context().close();
});

test("sign-ins are listed in the owner's time zone and can be filtered", async () => {
  await fetch(`${instance.baseUrl}/admin/login`, {
    method: "POST",
    redirect: "manual",
    headers: { origin: instance.baseUrl, "content-type": "application/x-www-form-urlencoded" },
    body: "password=wrong-password",
  });
  const { page, errors } = await open("log");
  const attempts = page.getByRole("list", { name: "Attempts to sign in, newest first" });
  await attempts.getByText("Refused").waitFor();
  await attempts.getByText("by secret link").first().waitFor();
  await page.getByRole("radio", { name: "Signed in" }).check();
  await eventually(async () => expect(await attempts.getByText("Refused").count()).toBe(0));
  await eventually(() => expect(new URL(page.url()).search).toBe("?outcome=success"));
  await page.getByRole("radio", { name: "Too many attempts" }).check();
  await page.getByRole("button", { name: "Show all attempts" }).click();
  await attempts.getByText("Refused").waitFor();
  const shown = attempts.locator("time").first();
  const iso = String(await shown.getAttribute("datetime"));
  const options = { dateStyle: "medium", timeStyle: "short" } as const;
  const zone = await page.locator("#manage").getAttribute("data-time-zone");
  const words = new Intl.DateTimeFormat("en-GB", { ...options, timeZone: zone ?? "" });
  expect(await shown.textContent()).toBe(words.format(new Date(iso)));
  expect(errors).toEqual([]);
  await page.context().close();
});

test.each([390, 1440])("axe finds nothing at %d px, and nothing overflows", async (width) => {
  const { page, errors } = await open("settings", width);
  await form(page, "QA autofix").waitFor();
  await form(page, "Site owner").waitFor();
  await expectSound(page);
  await page.getByRole("button", { name: "Add GitHub" }).click();
  await expectSound(page);
  for (const path of ["log", "tokens"]) {
    await page.goto(`${instance.baseUrl}/admin/${path}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await expectSound(page);
  }
  expect(errors).toEqual([]);
  await page.context().close();
});
