import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { registerSite } from "../../packages/server/src/features/release/api.ts";
import { openSiteFiles } from "../../packages/server/src/features/release/site/site-files.ts";
import { makePageShells } from "../../packages/server/src/features/release/page-shell.ts";
import { type AccountPages, goodPassword, startAccountPages } from "../support/account-pages.ts";
import { axe } from "../support/axe.ts";
import { launchBrowser, openPage, themeAt } from "../support/browser.ts";
import { freePorts } from "../support/instance.ts";
import { silentLog } from "../support/media-library.ts";
import { tempFolder, type TempFolder } from "../support/temp.ts";
import { buildTemplate, makeLive, sampleSnapshot } from "./template-site.ts";
import { testWorkers } from "../support/workers.ts";

let folder: TempFolder;
let at: AccountPages;
let baseUrl: string;
let browser: Browser;
/** What was asked of the server, with where it was asked from. */
const requests: { url: string; referer: string | undefined }[] = [];

beforeAll(async () => {
  folder = await tempFolder();
  const snapshot = await sampleSnapshot();
  // The site says that there is something to sign in for.
  const own = { ...snapshot.site, accounts: true as const };
  const built = await buildTemplate(join(folder.path, "build"), { ...snapshot, site: own });
  const paths = await makeLive(built.site, folder.path);
  const [port = 0] = await freePorts(1);
  baseUrl = `http://127.0.0.1:${port}`;
  at = await startAccountPages({
    baseUrl,
    siteName: "Mara Lindqvist",
    frame: makePageShells({
      workers: testWorkers,
      paths,
      address: "/account/",
      mark: "data-account",
    }),
    providers: [{ id: "work-id", name: "Work ID" }],
    projects: [{ name: "The part under NDA", summary: "For few.", path: "/projects/quiet/" }],
    linking: {
      linked: async () => [],
      start: async () => ({
        location: `http://localhost:${port}/about/?from=provider`,
        cookie: "flow=sealed; Path=/; HttpOnly",
      }),
      unlink: async () => {},
    },
    also(app) {
      app.addHook("onRequest", async ({ url, headers }) => {
        requests.push({ url, referer: headers.referer });
      });
      registerSite(app, { workers: testWorkers, ...openSiteFiles(paths), log: silentLog });
    },
  });
  await at.app.listen({ host: "127.0.0.1", port });
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await at?.[Symbol.asyncDispose]();
  await folder?.remove();
});

const press = (page: Page, name: string) =>
  page.locator("main").getByRole("button", { name, exact: true }).click();

async function signIn(page: Page, email: string): Promise<void> {
  await page.getByLabel("Email address").fill(email);
  await page.getByLabel("Password").fill(goodPassword);
  await press(page, "Sign in");
}

test("the whole journey works without JavaScript: from a missing page through emails and forms, in and out", async () => {
  const { page, errors } = await openPage(browser, { javaScriptEnabled: false });
  const email = "ada@example.com";
  await page.goto(`${baseUrl}/projects/quiet/`);
  await page.locator("main").getByRole("link", { name: "Sign in" }).click();
  await page.getByRole("link", { name: "Create an account" }).click();
  await page.getByLabel("Email address").fill(email);
  await page.getByLabel("Password").fill(goodPassword);
  await page.getByLabel("Your name").fill("Ada");
  await press(page, "Create account");
  await page.getByRole("status").getByText("Check your email.").waitFor();

  const confirm = await at.lastEmail(email);
  await page.goto(baseUrl + confirm);
  await page.getByLabel("Password").fill(goodPassword);
  await press(page, "Confirm my address");
  await page.getByText("Your address is confirmed.").waitFor();
  await page.getByRole("heading", { name: "Hello Ada" }).waitFor();
  await page.getByRole("link", { name: "The part under NDA" }).waitFor();
  // The frame is the site's own.
  await page
    .getByRole("navigation", { name: "Main" })
    .getByRole("link", { name: "About" })
    .waitFor();
  await press(page, "Sign out");
  await page.locator("main").getByRole("button", { name: "Sign in", exact: true }).waitFor();

  await page.goto(`${baseUrl}/projects/quiet/`);
  await page.locator("main").getByRole("link", { name: "Sign in" }).click();
  await signIn(page, email);
  await page.waitForURL(`${baseUrl}/projects/quiet/`);
  await page.goto(`${baseUrl}/account`);

  // A form of ours leads to a provider, whose site no policy of ours knows.
  await page.getByRole("button", { name: "Link Work ID" }).click();
  await page.waitForURL("**/about/?from=provider");
  expect(requests.find(({ url }) => url.includes("from=provider"))?.referer).toBeUndefined();

  await page.goto(`${baseUrl}/account/delete`);
  await page.getByLabel("Password").fill(goodPassword);
  await page.getByLabel("Yes, permanently delete my account").check();
  await press(page, "Delete my account");
  await page.getByText("Your account is deleted.").waitFor();
  expect(errors.filter((one) => !one.includes("404"))).toEqual([]);
});

test("no token is sent as a Referer, not even to this site", async () => {
  const { page } = await openPage(browser);
  await at.member({ email: "bo@example.com" });
  await at.browser().post("/account/forgot", { email: "bo@example.com" });
  const links = [
    await at.lastEmail("bo@example.com"),
    `/account?invite=${await at.invite("cleo@example.com")}`,
    "/account/verify?token=anything-at-all",
  ];
  for (const link of links) {
    await page.goto(baseUrl + link);
    await page.getByRole("link", { name: "About" }).click();
    await page.waitForURL("**/about/");
    await page.goto(baseUrl + link);
    await page.locator("main form").evaluate((form) => {
      (form as unknown as { requestSubmit(): void }).requestSubmit();
    });
  }
  const secrets = links.map((link) => new URL(link, baseUrl).search.replace(/^\?\w+=/, ""));
  const leaked = requests.filter(({ referer = "" }) =>
    secrets.some((one) => referer.includes(one)),
  );
  expect(leaked).toEqual([]);
  expect(requests.filter(({ url }) => url === "/about/").length).toBeGreaterThanOrEqual(
    links.length,
  );
});

/** What a page looks like to who has signed in; made once. */
async function signedIn(context: BrowserContext): Promise<void> {
  const member = at.browser({ remoteAddress: "127.0.0.1" });
  await member.post("/account/signin", { email: "dora@example.com", password: goodPassword });
  const [name = "", value = ""] = member.cookie().split("=");
  await context.addCookies([{ name, value, url: baseUrl }]);
}

const withoutChecks = (page: Page) =>
  page.locator("main form").evaluateAll((forms) => {
    for (const form of forms) form.setAttribute("novalidate", "");
  });

const views: Record<string, (page: Page) => Promise<unknown>> = {
  "the sign-in": (page) => page.goto(`${baseUrl}/account`),
  "a refused sign-up": async (page) => {
    await page.goto(`${baseUrl}/account/new`);
    await withoutChecks(page);
    await press(page, "Create account");
    await page.getByText("Isn't an email address.").waitFor();
  },
  "an invitation": async (page) =>
    page.goto(`${baseUrl}/account?invite=${await at.invite("new@example.com")}`),
  "an invitation that is gone": (page) => page.goto(`${baseUrl}/account?invite=gone`),
  "a link to confirm": (page) => page.goto(`${baseUrl}/account/verify?token=one`),
  "a link that is gone": (page) => page.goto(`${baseUrl}/account/reset?token=gone`),
  "the account": async (page) => {
    await signedIn(page.context());
    await page.goto(`${baseUrl}/account?done=welcome`);
    await page.getByText("Signed-in devices").waitFor();
  },
  "a refused deletion": async (page) => {
    await signedIn(page.context());
    await page.goto(`${baseUrl}/account/delete`);
    await withoutChecks(page);
    await press(page, "Delete my account");
    await page.getByText("Select this to delete your account.").waitFor();
  },
  "the missing page": (page) => page.goto(`${baseUrl}/projects/quiet/`),
};

/** Buttons and fields that are too low for a finger, and whether the page is wider than its window. */
const measure = `({
  low: [...document.querySelectorAll("main :is(.button, .field input:not([type=checkbox]), .account-link)")]
    .filter((one) => one.getBoundingClientRect().height < 44)
    .map((one) => one.outerHTML),
  wide: document.documentElement.scrollWidth > innerWidth,
})`;

describe("views of the account pages", () => {
  beforeAll(() => at.member({ email: "dora@example.com", name: "Dora" }));

  test.each(Object.entries(views))("%s", async (_, go) => {
    const { page } = await openPage(browser, { bypassCSP: true });
    await go(page);
    await page.waitForLoadState("load");
    for (const width of [320, 390, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await page.evaluate(measure)).toEqual({ low: [], wide: false });
      await page.emulateMedia({ colorScheme: themeAt(width) });
      expect(await axe(page)).toEqual([]);
    }
  });
});
