import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { axe } from "../support/axe.ts";
import { launchBrowser, openPage } from "../support/browser.ts";
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

test("the list of runs shows instruction, status, changes, and links", async () => {
  const instruction = 'replace "See the work" with "Look at the work"';
  const admin = await signIn(instance);
  const runId = await admin.start(instruction);
  await admin.reach(runId, "preview_ready");
  const { page, errors } = await openPage(browser, { viewport: { width: 1280, height: 900 } });
  await page.goto(await instance.link());
  await page.goto(`${instance.baseUrl}/admin/runs/`);
  const run = page.getByRole("listitem").filter({ hasText: instruction });
  await run.getByText("Preview ready").waitFor();
  await run.getByText("1 file").click();
  await run.getByText(/app\/src\//).waitFor();
  expect(await run.getByRole("link", { name: "Open preview" }).getAttribute("href")).toBe(
    `/_preview/${runId}/`,
  );
  expect(await axe(page)).toEqual([]);
  await page.getByRole("radio", { name: "Failed" }).check();
  await page.getByText("No runs match.").waitFor();
  expect(errors).toEqual([]);
  await page.context().close();
});
