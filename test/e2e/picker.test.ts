import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchBrowser, openPage } from "../support/browser.ts";
import { startInstance, type TestInstance } from "../support/instance.ts";

const password = "correct horse battery";
let browser: Browser;
let instance: TestInstance;

beforeAll(async () => {
  [browser, instance] = await Promise.all([launchBrowser(), startInstance()]);
  await instance.vitrine(["set-admin-password"], `${password}\n`);
});
afterAll(async () => {
  await browser?.close();
  await instance?.[Symbol.asyncDispose]();
});

async function openHome(width: number, touch = false): Promise<{ page: Page; errors: string[] }> {
  const opened = await openPage(browser, {
    viewport: { width, height: 844 },
    hasTouch: touch,
    isMobile: touch,
  });
  const { page } = opened;
  await page.goto(`${instance.baseUrl}/admin`);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: /Welcome/ }).waitFor();
  await page.goto(`${instance.baseUrl}/`);
  return opened;
}

async function openConsole(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Console" }).click();
  await page.getByLabel("Describe a change to this page").waitFor();
}

/** What the composer says was picked last: `app/src/pages/index.astro:12 on /`. */
async function lastPicked(page: Page, count: number): Promise<string> {
  const chips = page.getByRole("list", { name: "Parts of the page" }).getByRole("listitem");
  await chips.nth(count - 1).waitFor();
  return (await chips.last().getAttribute("title")) ?? "";
}

/** The line of the source that a picked element is said to come from. */
async function sourceOf(title: string): Promise<{ file: string; line: string; page: string }> {
  const [, file = "", line = "", page = ""] = /^(.+):(\d+) on (.+)$/.exec(title) ?? [];
  const text = await readFile(join(instance.paths.content, file), "utf8");
  return { file, line: text.split("\n")[Number(line) - 1] ?? "", page };
}

/** What the source of a heading of the home page reads like. */
const heading = { line: expect.stringContaining("<h1"), page: "/" };

/** The page's own markup: what the console draws is in its shadow root. */
function markup(page: Page): Promise<string> {
  return page.evaluate<string>("document.body.outerHTML");
}

test("pages for the admin contain the source locations of their elements; other pages don't", async () => {
  const url = `${instance.baseUrl}/`;
  const visitor = await fetch(url);
  const plain = await visitor.text();
  const { page } = await openHome(1440);
  const own = await (await page.request.get(url)).text();
  expect(own.match(/ data-source="app\/src\/[^"]+:\d+:\d+"/g)?.length).toBeGreaterThan(20);
  const bare = own
    .replaceAll(/ data-source="[^"]*"/g, "")
    .replace(/<script[^>]*loader[^>]*><\/script>/, "");
  expect(bare).toBe(plain);
  for (const headers of [{}, { cookie: "session=x" }, { authorization: `Bearer ${password}` }]) {
    const response = await fetch(url, { headers });
    expect(await response.text()).toBe(plain);
    const etag = response.headers.get("etag") ?? "";
    expect(etag).toBe(visitor.headers.get("etag"));
    const again = await fetch(url, { headers: { ...headers, "if-none-match": etag } });
    expect(again.status).toBe(304);
  }
  for (const path of ["/.source-tags", "/1.tags", "/../1.tags"]) {
    expect(await (await fetch(instance.baseUrl + path)).text()).not.toContain("app/src/");
  }
  await page.context().close();
});

test("mouse and keyboard pick on the page and in the preview; Escape exits; Compare shows the live page", async () => {
  const { page } = await openHome(1440);
  await openConsole(page);
  const before = await markup(page);
  await page.keyboard.press("Control+Shift+c");
  await page.locator(".pick").waitFor();
  const pointed = page.getByRole("status");
  await page.keyboard.press("ArrowDown");
  await pointed.getByText(/^h1 /).waitFor();
  for (let up = 0; up < 10; up += 1) await page.keyboard.press("ArrowUp");
  await pointed.getByText(/^body /).waitFor();
  await page.keyboard.press("ArrowDown");
  // The link past the header waits for the focus, over the edge of the page.
  await pointed.getByText(/^header /).waitFor();
  await page.keyboard.press("Escape");
  await page.locator(".pick").waitFor({ state: "detached" });
  const title = page.locator("h1").first();
  await page.getByRole("button", { name: /^Point/ }).click();
  await title.hover({ force: true });
  await page.getByRole("status").getByText(/^h1 /).waitFor();
  await page.keyboard.press("Escape");
  await page.locator(".pick").waitFor({ state: "detached" });
  await page.getByRole("button", { name: /^Point/ }).click();
  const box = await title.boundingBox();
  await page.mouse.click((box?.x ?? 0) + 20, (box?.y ?? 0) + 20);
  expect(await sourceOf(await lastPicked(page, 1))).toMatchObject(heading);
  expect(await markup(page)).toBe(before);

  await page
    .getByLabel("Describe a change to this page")
    .fill('replace "Start a project" with "Begin a project"');
  await page.keyboard.press("Control+Enter");
  await page.getByRole("status").getByText("Preview ready", { exact: true }).waitFor();
  const frame = page.frameLocator('iframe[title^="Preview of"]');
  await frame.locator("h1[data-source]").first().waitFor();
  await page.getByRole("button", { name: /^Point/ }).click();
  await frame.locator("vitrine-pick").waitFor({ state: "attached" });
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  const picked = await sourceOf(await lastPicked(page, 1));
  expect([picked.page, picked.line]).toEqual(["/", expect.stringMatching(/<[a-z]/)]);
  expect(await frame.locator("vitrine-pick").count()).toBe(0);
  await page.getByRole("button", { name: /^Point/ }).click();
  await frame.locator("vitrine-pick").waitFor({ state: "attached" });
  await frame.locator("h1").first().click({ force: true });
  expect(await sourceOf(await lastPicked(page, 2))).toMatchObject(heading);

  await page.getByRole("button", { name: "Compare with the live site" }).click();
  const live = page.frameLocator('iframe[title^="Live version of"]');
  await live.getByText("Start a project").first().waitFor();
  await live.locator("h1[data-source]").first().waitFor();
  await page.context().close();
});

test("a touch picks an element on a phone", async () => {
  const { page } = await openHome(390, true);
  await openConsole(page);
  await page.getByRole("button", { name: /^Point/ }).click();
  await page.locator(".pick").waitFor();
  await page.getByRole("button", { name: "Cancel" }).tap();
  await page.locator(".pick").waitFor({ state: "detached" });
  await page.getByRole("button", { name: /^Point/ }).click();
  const box = await page.locator("h1").first().boundingBox();
  await page.touchscreen.tap((box?.x ?? 0) + 20, (box?.y ?? 0) + 20);
  expect(await sourceOf(await lastPicked(page, 1))).toMatchObject(heading);
  await page.context().close();
});
