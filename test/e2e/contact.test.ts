import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { registerContact } from "../../packages/server/src/features/contact/api.ts";
import { makeContact } from "../../packages/server/src/features/contact/contact.ts";
import {
  countMessages,
  deleteMessages,
  listMessages,
} from "../../packages/server/src/features/contact/store.ts";
import { type SiteCheck, toFinding } from "../../packages/qa/src/check.ts";
import { loadChecks } from "../../packages/qa/src/checks/load.ts";
import { makeFetcher } from "../../packages/qa/src/crawl/fetcher.ts";
import { ownForms } from "../../packages/qa/src/probe/form/own-form.ts";
import { probeForm } from "../../packages/qa/src/probe/form/probe-form.ts";
import type { Probes } from "../../packages/qa/src/probe/probes.ts";
import { prepareCopy } from "../../packages/server/src/features/publish-targets/copy/site-copy.ts";
import { contentType } from "../../packages/server/src/features/release/artifact/artifact.ts";
import { registerSite } from "../../packages/server/src/features/release/api.ts";
import { openSiteFiles } from "../../packages/server/src/features/release/site/site-files.ts";
import { makeLiveReleases } from "../../packages/server/src/features/release/site/live-release.ts";
import type { InstancePaths } from "../../packages/server/src/platform/paths.ts";
import { systemClock } from "../../packages/server/src/kit/clock.ts";
import { defaultLimits } from "../../packages/server/src/platform/config.ts";
import { makeClientOf } from "../../packages/server/src/platform/http/client-address.ts";
import {
  type AppServer,
  createHttpServer,
} from "../../packages/server/src/platform/http/server.ts";
import { axe } from "../support/axe.ts";
import { launchBrowser, openPage, themeAt } from "../support/browser.ts";
import { makeTestDatabase, type TestDatabase } from "../support/database.ts";
import { startEmail, type TestEmail } from "../support/email.ts";
import { silentLog } from "../support/media-library.ts";
import { crawlOf } from "../support/crawl-fixture.ts";
import { tempFolder, type TempFolder } from "../support/temp.ts";
import { buildTemplate, makeLive, sampleSnapshot } from "./template-site.ts";
import { testWorkers } from "../support/workers.ts";

let folder: TempFolder;
let store: TestDatabase;
let receivedEmail: TestEmail;
let app: AppServer;
let origin: string;
let paths: InstancePaths;
let copies: string[] = [];
let browser: Browser;

beforeAll(async () => {
  folder = await tempFolder();
  const { site } = await buildTemplate(join(folder.path, "build"), await sampleSnapshot());
  paths = await makeLive(site, folder.path);
  store = await makeTestDatabase();
  const { db } = store.database;
  receivedEmail = await startEmail({ db, clock: systemClock });
  const releases = makeLiveReleases(paths);
  app = createHttpServer({ log: silentLog, name: "test", secure: false });
  registerContact(app, {
    workers: testWorkers,
    contact: makeContact({
      db,
      clock: systemClock,
      outbox: receivedEmail.outbox,
      to: async () => "owner@example.com",
    }),
    clock: systemClock,
    clientOf: makeClientOf({ trustedIps: [], trustProxy: [] }),
    limits: defaultLimits.contact,
    baseUrl: "https://me.example",
    copyOrigins: async () => copies,
    async page(address) {
      const file = (await releases.current())?.files.get(address);
      return file?.page ? readFile(file.path, "utf8") : null;
    },
  });
  registerSite(app, { workers: testWorkers, ...openSiteFiles(paths), log: silentLog });
  origin = await app.listen({ host: "127.0.0.1", port: 0 });
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await app?.close();
  await receivedEmail?.[Symbol.asyncDispose]();
  await store?.cleanup();
  await folder?.remove();
});
beforeEach(async () => {
  const { rows } = await listMessages(store.database.db, { page: 1, perPage: 100 });
  if (rows.length > 0)
    await deleteMessages(
      store.database.db,
      rows.map(({ id }) => id),
    );
});

const kept = async () => (await listMessages(store.database.db, { page: 1, perPage: 10 })).rows;

async function fillIn(page: Page, email: string): Promise<void> {
  await page.getByLabel("Your name").fill("Ada Lovelace");
  await page.getByLabel("Your e-mail address").fill(email);
  await page.getByLabel("What is it about?").fill("A programme.\n\nFor an engine.");
}
const send = (page: Page) => page.getByRole("button", { name: "Send the message" }).click();

describe.each([
  ["without script", false],
  ["with script", true],
])("the contact page %s", (_, javaScriptEnabled) => {
  test("sends a message, and reports errors without losing any text", async () => {
    const { page, errors } = await openPage(browser, { javaScriptEnabled });
    await page.goto(`${origin}/contact/`);
    // What a browser takes for an address, and no mail server does.
    await fillIn(page, "ada@localhost");
    await send(page);
    await page.getByRole("alert").getByText("Your message hasn’t been sent yet").waitFor();
    expect(new URL(page.url()).pathname).toBe("/api/contact");
    expect(await page.getByLabel("Your name").inputValue()).toBe("Ada Lovelace");
    const text = await page.getByLabel("What is it about?").inputValue();
    expect(text).toBe("A programme.\n\nFor an engine.");
    const email = page.getByLabel("Your e-mail address");
    expect(await email.getAttribute("aria-invalid")).toBe("true");
    expect(await kept()).toEqual([]);
    await email.fill("ada@example.org");
    await send(page);
    await page.getByRole("heading", { name: "Thank you" }).waitFor();
    expect(new URL(page.url()).pathname).toBe("/contact/thanks/");
    expect(await kept()).toMatchObject([{ name: "Ada Lovelace", email: "ada@example.org" }]);
    await receivedEmail.deliver();
    expect(receivedEmail.last("owner@example.com")).toMatchObject({ replyTo: "ada@example.org" });
    // A browser tells of the answer 422.
    expect(errors.filter((error) => !error.includes("422"))).toEqual([]);
    await page.context().close();
  });
});

test.each([320, 390, 1440])(
  "it fits %i px, in one of the themes, and breaks no rule",
  async (width) => {
    const colorScheme = themeAt(width);
    const options = { viewport: { width, height: 900 }, colorScheme, bypassCSP: true };
    const { page } = await openPage(browser, options);
    for (const step of ["fresh", "back", "thanks"]) {
      if (step === "fresh") await page.goto(`${origin}/contact/`);
      else {
        await fillIn(page, step === "back" ? "ada@localhost" : "ada@example.org");
        await send(page);
        await page.waitForURL(step === "back" ? "**/api/contact" : "**/contact/thanks/");
      }
      const wide = await page.evaluate<number>("document.documentElement.scrollWidth");
      expect(wide).toBeLessThanOrEqual(width);
      expect(await axe(page)).toEqual([]);
      const places = await page.locator("form").locator("input, textarea, button").all();
      for (const place of places) {
        if ((await place.getAttribute("name")) === "website") continue;
        expect((await place.boundingBox())?.height).toBeGreaterThanOrEqual(44);
      }
    }
    await page.context().close();
  },
);

test("next to the console, a page is laid out for its width, and the keyboard reaches everything", async () => {
  const { page } = await openPage(browser, { viewport: { width: 1024, height: 900 } });
  await page.goto(`${origin}/nowhere/`);
  await page.evaluate("document.documentElement.style.paddingRight = '634px'");
  const lines = "document.querySelector('.field .line').getClientRects()[0].width";
  expect(await page.evaluate<number>(lines)).toBeLessThanOrEqual(390);
  const [name, links] = await Promise.all([
    page.locator("header .name").boundingBox(),
    page.getByRole("navigation", { name: "Main" }).boundingBox(),
  ]);
  expect(links?.y).toBeGreaterThanOrEqual((name?.y ?? 0) + (name?.height ?? 0));
  const reached: unknown[] = [];
  for (let step = 0; step < 10; step += 1) {
    await page.keyboard.press("Tab");
    reached.push(await page.evaluate("document.activeElement.textContent.trim()"));
  }
  expect(reached).toEqual(expect.arrayContaining(["Projects", "Services", "Resume", "Contact"]));
  await page.getByRole("searchbox").fill("clinic");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/search/?q=clinic");
  await page.context().close();
});

/** Serves files as any static host does, on an address of its own. */
async function serveFolder(root: string) {
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent((request.url ?? "/").split("?")[0] ?? "/");
    const file = path.endsWith("/") ? `${path}index.html` : path;
    const content = await readFile(join(root, file)).catch(() => null);
    response.writeHead(content === null ? 404 : 200, { "content-type": contentType(file) });
    response.end(content);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    origin: `http://localhost:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await once(server.close(), "close");
    },
  };
}

test("a copy elsewhere works under its own policy, and its contact form leads to this server", async () => {
  const { signal } = new AbortController();
  const options = { release: 1, forms: "origin" as const, origin, signal };
  const deps = { paths, workers: testWorkers };
  const copy = await prepareCopy(deps, { ...options, folder: join(folder.path, "copy") });
  await using served = await serveFolder(copy.folder);
  const { page, errors } = await openPage(browser);
  await page.goto(`${served.origin}/search/?q=website`);
  await page.locator("main a mark, main mark").first().waitFor();
  await page.goto(`${served.origin}/contact/`);
  const policy = await page
    .locator('meta[http-equiv="Content-Security-Policy"]')
    .getAttribute("content");
  expect(policy).toContain(`form-action 'self' ${origin}`);
  await fillIn(page, "ada@example.org");
  await send(page);
  // Nobody has said yet that this is a copy.
  await page.waitForURL(`${origin}/api/contact`);
  expect(await kept()).toEqual([]);
  expect(errors.splice(0).filter((error) => !error.includes("403"))).toEqual([]);
  copies = [served.origin];
  await page.goto(`${served.origin}/contact/`);
  await fillIn(page, "ada@example.org");
  await send(page);
  await page.waitForURL(`${origin}/contact/thanks/`);
  copies = [];
  expect(await kept()).toMatchObject([{ email: "ada@example.org" }]);
  expect(errors).toEqual([]);
  await page.context().close();
});

test("nobody sees the honeypot, tabs to it, or hears it", async () => {
  const { page } = await openPage(browser);
  await page.goto(`${origin}/contact/`);
  await page.getByLabel("What is it about?").focus();
  await page.keyboard.press("Tab");
  expect(await page.evaluate("document.activeElement.textContent")).toBe("Send the message");
  const tree = await page.locator("form").ariaSnapshot();
  expect(tree).toContain("Your e-mail address");
  expect(tree).not.toContain("Leave this empty");
  const trap = page.locator('[name="website"]');
  expect(await trap.getAttribute("autocomplete")).toBe("off");
  const seen = await page.evaluate("document.querySelector('[name=website]').checkVisibility()");
  // It is laid out, so that programs take it for a field, within a box of one pixel.
  expect(seen).toBe(true);
  expect((await page.locator(".trap").boundingBox())?.width).toBe(1);
  await fillIn(page, "ada@example.org");
  await page.evaluate("document.querySelector('[name=website]').value = 'https://spam.example'");
  await send(page);
  await page.waitForURL("**/contact/thanks/");
  expect(await kept()).toEqual([]);
  await page.context().close();
});

test("the thank-you page is listed nowhere", async () => {
  expect(await (await fetch(`${origin}/contact/thanks/`)).text()).toMatch(
    /name="robots" content="noindex"/,
  );
  expect(await (await fetch(`${origin}/sitemap-0.xml`)).text()).not.toContain("thanks");
  const policy = (await fetch(`${origin}/contact/`)).headers.get("content-security-policy");
  expect(policy).toContain("form-action 'self'");
});

test("QA checks the form, finds nothing, and leaves nothing behind", async () => {
  const html = await (await fetch(`${origin}/contact/`)).text();
  const crawl = crawlOf({ origin, responses: { "/": "<h1>Home</h1>", "/contact/": html } });
  const forms = ownForms(crawl);
  expect(forms).toMatchObject([
    { page: "/contact/", honeypot: "website", required: ["name", "email", "message"] },
  ]);
  const { signal } = new AbortController();
  const fetcher = makeFetcher({ origin, connect: null, limits: defaultLimits.qa, signal });
  const asking = {
    fetcher,
    origin,
    countMessages: () => countMessages(store.database.db),
    loopback: true,
  };
  const tried = await Promise.all(forms.map((form) => probeForm(form, asking)));
  await fetcher.close();
  const checks = (await loadChecks("site")).filter(({ id }: SiteCheck) => id.startsWith("form."));
  const probes = { forms: tried } as unknown as Probes;
  const found = checks.flatMap((check) =>
    [...check.run(crawl, probes)].map((seen) => toFinding(check, seen.page, seen)),
  );
  expect(found).toEqual([]);
  expect(tried[0]?.honeypotFilled?.status).toBe(200);
  expect(await kept()).toEqual([]);
});
