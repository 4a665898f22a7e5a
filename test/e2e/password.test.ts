import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadConsoleAssets } from "../../packages/server/src/features/admin-auth/console-assets.ts";
import { registerAdminPages } from "../../packages/server/src/features/admin-auth/pages.ts";
import { viewPassword } from "../../packages/server/src/features/admin-auth/password/own-password.ts";
import { platformRoot } from "../../packages/server/src/platform/paths.ts";
import { type AdminApp, startAdminApp } from "../support/admin.ts";
import { axe } from "../support/axe.ts";
import { freePorts } from "../support/instance.ts";
import { launchBrowser, openPage, themeAt } from "../support/browser.ts";

const chosen = "correct horse battery staple";
const day = 24 * 60 * 60_000;
const news = { attention: [], queue: null, since: null, news: [], cost: null, unavailable: [] };
let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser?.close());

/** The sign-in with its pages as after an installation: with a link and without a password. */
async function startFresh(): Promise<AdminApp> {
  const [port = 0] = await freePorts(1);
  const admin = await startAdminApp({
    port,
    baseUrl: `http://127.0.0.1:${port}`,
    register: (app, { guard, db }) =>
      registerAdminPages(app, {
        assets: loadConsoleAssets(join(platformRoot, "packages/console/dist")),
        site: { ownerName: "Ada", timeZone: "UTC", hasSites: false },
        findSession: (request) => guard.findSession(request),
        hasPassword: async () => (await viewPassword(db)).isSet,
        overview: async () => ({
          runs: null,
          setup: { open: [], start: null },
          news,
          health: null,
        }),
        uploads: { imageMiB: 40, videoMiB: 400 },
      }),
  });
  await admin.db
    .withTables<{ admin_account: { password_hash: string | null } }>()
    .updateTable("admin_account")
    .set({ password_hash: null })
    .execute();
  return admin;
}

test.each([390, 1440])(
  "set a password at the first sign-in, sign out, come back a day later, sign in: %i px",
  async (width) => {
    await using admin = await startFresh();
    const { page } = await openPage(browser, {
      viewport: { width, height: 844 },
      colorScheme: themeAt(width),
    });
    await page.goto(`${admin.url}/admin`);
    await page.getByText("vitrine set-admin-token").waitFor();
    expect(await page.getByLabel("Password").count()).toBe(0);

    await page.goto(`${admin.url}${admin.link}`);
    await page.goto(`${admin.url}/admin/password`);
    await page.getByRole("heading", { name: "Choose a password" }).waitFor();
    expect(await axe(page)).toEqual([]);
    const field = page.getByLabel("New password");
    await field.focus();
    await page.keyboard.type("short");
    await page.keyboard.press("Enter");
    await page.getByText("Use at least 8 characters.").waitFor();
    await field.and(page.locator(":focus")).waitFor();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type(chosen);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: /Welcome/ }).waitFor();

    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("Password").waitFor();
    admin.clock.advance(day);
    await page.goto(`${admin.url}/admin`);
    await page.getByLabel("Password").fill(chosen);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: /Welcome/ }).waitFor();

    // The session ends by itself, over a page that is open.
    await page.goto(`${admin.url}/admin/password`);
    await page.getByLabel("Current password").fill(chosen);
    await page.getByLabel("New password").fill(`${chosen} too`);
    admin.clock.advance(day);
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Your session has ended" });
    await dialog.getByLabel("Password").fill(chosen);
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "detached" });
    await page.getByText("Saved", { exact: true }).waitFor();
    expect((await admin.login(`${chosen} too`)).status).toBe(200);
    await page.context().close();
  },
);

test("after a skipped password, the sign-in page says how to sign in again", async () => {
  await using admin = await startFresh();
  const { page } = await openPage(browser);
  await page.goto(`${admin.url}${admin.link}`);
  await page.goto(`${admin.url}/admin/password`);
  await page.getByRole("link", { name: "Skip for now" }).click();
  await page.getByRole("heading", { name: /Welcome/ }).waitFor();
  admin.clock.advance(day);
  await page.goto(`${admin.url}/admin/password`);
  await page.waitForURL(/\/admin\?next=/);
  await page.getByText("vitrine set-admin-token").waitFor();
  expect(await page.getByLabel("Password").count()).toBe(0);
  await page.context().close();
});
