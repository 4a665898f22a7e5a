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

const section = (page: Page, name: string) => page.getByRole("region", { name });

test("the overview shows what needs the owner and links to the page that resolves it", async () => {
  const admin = await signIn(instance);
  const runId = await admin.start('replace "See the work" with "Look at the work"');
  await admin.reach(runId, "preview_ready");
  const { page, errors } = await openPage(browser, { viewport: { width: 1280, height: 900 } });
  await page.goto(await instance.link());
  await page.goto(`${instance.baseUrl}/admin`);
  const attention = section(page, "Needs your attention");
  await attention.getByText("QA hasn’t checked your site yet").waitFor();
  await section(page, "Since your last visit").getByText("first visit").waitFor();
  await section(page, "Usage").getByText("0 tokens").waitFor();
  expect(await axe(page)).toEqual([]);
  await saveImages(page, "overview");
  await attention.getByRole("link", { name: "1 change isn’t live yet" }).click();
  await page.waitForURL("**/admin/runs?status=preview_ready");
  await page.getByRole("listitem").filter({ hasText: "See the work" }).waitFor();
  const discarded = await page.evaluate(async (id) => {
    const init = { method: "POST", headers: { "content-type": "application/json" } };
    return (await fetch("/devconsole/discard", { ...init, body: JSON.stringify({ runId: id }) }))
      .ok;
  }, runId);
  expect(discarded).toBe(true);
  await page.goto(`${instance.baseUrl}/admin`);
  await attention.getByText("QA hasn’t checked").waitFor();
  expect(await attention.getByText(/ live yet/).count()).toBe(0);
  expect(errors).toEqual([]);
  await page.context().close();
});
