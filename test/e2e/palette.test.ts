import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { axe } from "../support/axe.ts";
import { launchBrowser, openPage, saveImages } from "../support/browser.ts";
import { signIn } from "../support/client.ts";
import { startInstance, type TestInstance } from "../support/instance.ts";

let browser: Browser;
let instance: TestInstance;

beforeAll(async () => {
  [browser, instance] = await Promise.all([launchBrowser(), startInstance()]);
});
afterAll(async () => {
  await browser?.close();
  await instance?.[Symbol.asyncDispose]();
});

const field = (page: Page) => page.getByRole("combobox", { name: /^Find a command/ });
const option = (page: Page, name: string | RegExp) => page.getByRole("option", { name });

/** Opens the palette once the page's script is there to do it. */
async function open(page: Page): Promise<void> {
  const { pathname } = new URL(page.url());
  if (pathname.startsWith("/admin"))
    await page.getByRole("button", { name: "Search", exact: true }).waitFor();
  await page.keyboard.press("Control+k");
  await field(page).waitFor();
}

test("one palette leads from the admin pages and from the site to pages, records and actions", async () => {
  const admin = await signIn(instance);
  const instruction = 'replace "See the work" with "Look at the work"';
  const runId = await admin.start(instruction);
  await admin.reach(runId, "preview_ready");
  const { page, errors } = await openPage(browser, { viewport: { width: 1280, height: 900 } });
  await page.goto(await instance.link());

  // The overview, by its button and by keys.
  await page.goto(`${instance.baseUrl}/admin`);
  await page.getByRole("button", { name: "Search", exact: true }).click();
  await option(page, "Open the site").waitFor();
  expect(await axe(page)).toEqual([]);
  await saveImages(page, "palette-admin", { fullPage: false });
  await page.keyboard.press("Escape");
  await field(page).waitFor({ state: "detached" });
  await open(page);
  await page.keyboard.type("new proj");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/admin/projects/new");

  // Records, and parts of the settings, by name.
  const projects = await page.request.get(`${instance.baseUrl}/api/adminprojects/list`);
  const { data } = (await projects.json()) as { data: { items: { id: number; name: string }[] } };
  const [project] = data.items;
  await open(page);
  await page.keyboard.type(project?.name ?? "");
  await option(page, project?.name ?? "").click();
  await page.waitForURL(`**/admin/projects/edit?id=${project?.id}`);
  await open(page);
  await page.keyboard.type("budg");
  await option(page, "Settings: Budgets").waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL("**/admin/settings#budgets");
  await open(page);
  await page.keyboard.type("no such thing");
  await page.getByText("Nothing matches “no such thing”.").waitFor();
  await page.keyboard.press("Escape");

  // The waiting run, asked about first.
  await open(page);
  await page.keyboard.type("publish");
  await option(page, /^Publish: replace/).click();
  const question = page.getByRole("alertdialog", { name: "Publish this change?" });
  await question.getByText(instruction).waitFor();
  expect(await axe(page)).toEqual([]);
  await question.getByRole("button", { name: "Publish" }).click();
  await question.waitFor({ state: "detached" });
  await expect
    .poll(async () => (await fetch(instance.baseUrl)).text())
    .toContain("Look at the work");

  // The site: the same commands, but for what is done here already.
  await page.goto(`${instance.baseUrl}/#console`);
  await page.getByRole("tab", { name: "Edit" }).waitFor();
  await open(page);
  await option(page, "Run QA now").waitFor();
  await option(page, "Point at a part of the page").waitFor();
  expect(await option(page, "Open the site").count()).toBe(0);
  await saveImages(page, "palette-overlay", { fullPage: false });
  await page.keyboard.type("go to media");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/admin/media");

  // Searches that are under way when the session ends are refused.
  expect(errors).toEqual([]);
  await open(page);
  await page.keyboard.type("sign out");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  await page.context().close();
});
