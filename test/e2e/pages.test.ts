import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { axe } from "../support/axe.ts";
import { launchBrowser, openPage, themeAt } from "../support/browser.ts";
import { startInstance, type TestInstance } from "../support/instance.ts";

let browser: Browser;
let instance: TestInstance;

beforeAll(async () => {
  [browser, instance] = await Promise.all([
    launchBrowser(),
    startInstance({ config: { qa: { intervalMinutes: 0 } } }),
  ]);
});
afterAll(async () => {
  await browser?.close();
  await instance?.[Symbol.asyncDispose]();
});

test("words, hidden pages and services, and the navigation go live from the pages form", async () => {
  const { page, errors } = await openPage(browser, {
    viewport: { width: 390, height: 844 },
    colorScheme: themeAt(390),
  });
  await page.goto(await instance.link());
  await page.goto(`${instance.baseUrl}/admin/pages`);
  await page.getByRole("link", { name: "Services", exact: true }).last().click();
  await page.getByLabel("Lead", { exact: true }).fill("Work that I take on.");
  await page.getByLabel("Title", { exact: true }).fill("What I offer");
  await page.getByLabel("Description", { exact: true }).fill("Two ways to work together.");
  await page.getByRole("group", { name: "Care" }).getByLabel("Hidden").check();
  await page.getByLabel("Show About").focus();
  await page.keyboard.press("Space");
  await page.getByRole("button", { name: "Move Contact up" }).focus();
  await page.keyboard.press("Enter");
  await page.reload();
  expect(await page.getByLabel("Lead", { exact: true }).inputValue()).toBe("Work that I take on.");
  expect(await axe(page)).toEqual([]);
  const width = await page.evaluate<number>("document.documentElement.scrollWidth");
  expect(width).toBeLessThanOrEqual(390);

  await page.getByLabel("Title", { exact: true }).fill(" ");
  await page.getByRole("button", { name: "Build preview" }).click();
  await page.getByText("Can’t be empty.").waitFor();
  await page.getByLabel("Title", { exact: true }).fill("What I offer");
  await page.getByRole("button", { name: "Build preview" }).click();
  await page.getByTitle("Preview of your site").waitFor({ timeout: 120_000 });
  await page.getByRole("button", { name: "Publish site" }).click();
  await page.getByText("Your site is live.").waitFor({ timeout: 60_000 });

  const read = (path: string) => readFile(join(instance.paths.current, path), "utf8");
  const services = await read("services/index.html");
  expect(services).toContain("Work that I take on.");
  expect(services).toContain("<title>What I offer · ");
  expect(services).toContain('content="Two ways to work together."');
  expect(services).not.toContain("Care</h2>");
  const home = await read("index.html");
  expect(home).not.toContain("/about/");
  const links = [...home.matchAll(/<a href="(\/(?:projects|services|resume|contact)\/)"/g)];
  expect([...new Set(links.map(([, href]) => href))].slice(0, 4)).toEqual([
    "/projects/",
    "/services/",
    "/resume/",
    "/contact/",
  ]);
  await expect(read("about/index.html")).rejects.toThrow(/ENOENT/);
  // The browser notes the empty title that was refused, and nothing else.
  expect(errors).toEqual([expect.stringContaining("status of 422")]);
}, 300_000);
