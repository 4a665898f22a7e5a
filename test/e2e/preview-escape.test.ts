import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, Frame, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { registerRunnerProxy } from "../../packages/server/src/features/admin-auth/runner-proxy.ts";
import { pagePolicy } from "../../packages/server/src/features/release/site/site-policy.ts";
import {
  type AppServer,
  createHttpServer,
} from "../../packages/server/src/platform/http/server.ts";
import { createLog } from "../../packages/server/src/platform/log.ts";
import { launchBrowser } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { type Canary, startCanary } from "../support/preview-escapes/canary.ts";
import {
  activeEscapes,
  allEscapes,
  type EscapePage,
  intoPages,
  pageHtml,
} from "../support/preview-escapes/pages.ts";
import { type RunsApp, runnerKey, startRunsApp } from "../support/runs-app.ts";
import { copyingBuilder, scriptedAgent } from "../support/runs-site.ts";

const pages = intoPages(allEscapes);
/** Unprotected, these reach the stranger: proof that the others would be heard. */
const controls = [
  "img",
  "webrtc-stun",
  "location",
  "meta-refresh",
  "user-link-blank-modified-click",
];
const atOnce = 6;

let app: RunsApp;
let web: AppServer;
let browser: Browser;
let canary: Canary;
let url: string;
let runId: string;

async function startWeb(): Promise<string> {
  const log = createLog({ level: "silent", name: "web" });
  web = createHttpServer({ log, name: "web", secure: false });
  registerRunnerProxy(web, {
    guard: app.admin.guard,
    runnerUrl: app.url,
    runnerKey,
    baseUrl: "http://localhost:3000",
    verifyPreviewTicket: app.tickets.verifyUrl,
  });
  // The page of the site that the console lies over.
  web.get<{ Params: { name: string } }>("/around/:name", async (request, reply) =>
    reply
      .header("content-security-policy", pagePolicy([]))
      .type("text/html")
      .send(
        `<!doctype html><title>Around</title><iframe width="800" height="600" sandbox="allow-scripts" src="/_preview/${runId}/e/${request.params.name}/"></iframe>`,
      ),
  );
  web.get<{ Params: { name: string } }>("/bare/:name", async (request, reply) => {
    const page = pageOf(request.params.name);
    reply.header("content-security-policy", "").header("cross-origin-opener-policy", "unsafe-none");
    return reply.type("text/html").send(pageHtml(page, canary, "/"));
  });
  return web.listen({ host: "127.0.0.1", port: 0 });
}

beforeAll(async () => {
  canary = await startCanary(allEscapes);
  app = await startRunsApp({
    makeBuilder: async (paths) => copyingBuilder(paths, { bytes: 2 ** 23, files: 1000 }),
  });
  const write = async (root: string, path: string, text: string) => {
    const file = join(root, "app/src/pages", path);
    await mkdir(join(file, ".."), { recursive: true });
    await writeFile(file, text);
  };
  runId = await app.edit(
    scriptedAgent(async ({ root }) => {
      await write(root, "dot.svg", '<svg xmlns="http://www.w3.org/2000/svg"/>');
      await write(root, "own.js", "export {}");
      await write(root, "hop/index.html", pageHtml(pageOf("location"), canary));
      for (const page of pages) {
        await write(root, `e/${page.name}/index.html`, pageHtml(page, canary));
      }
    }),
  );
  url = await startWeb();
  browser = await launchBrowser({ args: [`--host-resolver-rules=${canary.resolverRules}`] });
});

afterAll(async () => {
  await browser?.close();
  await web?.close();
  await app?.cleanup();
  await canary?.close();
});

function pageOf(name: string): EscapePage {
  const page = pages.find((one) => one.escapes.some((escape) => escape.name === name));
  if (!page) throw new Error(`no page has ${name}`);
  return page;
}

/** What is expected of the user; a page that hinders it has lost its chance. */
async function act(page: Page, frame: Frame, how: EscapePage["escapes"][0]["act"]): Promise<void> {
  const it = frame.locator("#it");
  const timeout = 5000;
  if (how === "drag") await it.hover({ timeout });
  else if (how === "submit") await it.press("Enter", { timeout, noWaitAfter: true });
  else {
    const button = how === "middle-click" ? ("middle" as const) : ("left" as const);
    const modifiers = how === "modified-click" ? (["ControlOrMeta"] as const) : [];
    await it.click({ timeout, noWaitAfter: true, button, modifiers: [...modifiers] });
  }
  await page.mouse.move(1, 1);
}

/** Opens a page of escapes and lets them try; gives what else has changed in the browser. */
async function tryPage(escapePage: EscapePage, address: string): Promise<string[]> {
  const context = await browser.newContext();
  const [name = "", value = ""] = app.cookie.split("=");
  await context.addCookies([{ name, value, url, sameSite: "Lax", httpOnly: true }]);
  const page = await context.newPage();
  const refused = page
    .waitForEvent(
      "framenavigated",
      (one) => one.parentFrame() === page.mainFrame() && one.url().startsWith("chrome-error:"),
    )
    .then(() => false);
  refused.catch(() => {});
  await page.goto(address, { waitUntil: "load" });
  const frame = page.frames()[1] ?? page.mainFrame();
  const how = escapePage.escapes[0]?.act;
  if (how !== undefined) await act(page, frame, how).catch(() => {});
  // A page that is replaced by the browser's error, or hangs in a dialog, never says that it is done.
  // Any other has to: a busy machine may take long about it.
  const mustEnd = how === undefined && !escapePage.escapes[0]?.alone;
  const timeout = mustEnd ? 30_000 : 5000;
  const done = frame.locator("body[data-done]").waitFor({ state: "attached", timeout });
  const ended = await Promise.race([done.then(() => true), refused]).catch(() => false);
  const changes: string[] = [];
  if (!ended && mustEnd) changes.push(`${escapePage.name} has not run`);
  if (page.url() !== address) changes.push(`${escapePage.name}: the tab is at ${page.url()}`);
  // The user may open another tab; it shows nothing of a stranger's.
  const opened = context.pages().filter((one) => one !== page && one.url().startsWith("http"));
  const windows = how?.endsWith("-click") ? opened : context.pages().slice(1);
  for (const one of windows) changes.push(`${escapePage.name}: a window at ${one.url()}`);
  await context.close();
  return changes;
}

async function tryAll(
  list: readonly EscapePage[],
  pathOf: (name: string) => string,
): Promise<string[]> {
  const waiting = [...list];
  const changes: string[] = [];
  const work = async () => {
    for (let page = waiting.shift(); page; page = waiting.shift()) {
      changes.push(...(await tryPage(page, url + pathOf(page.name))));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return changes;
}

test("abuse 151: an external server receives what no policy forbids", async () => {
  canary.reached.length = 0;
  await tryAll(controls.map(pageOf), (name) => `/bare/${name}`);
  await eventually(async () => expect(canary.reached).toEqual(expect.arrayContaining(controls)));
});

test("abuse 152: nothing in a framed preview reaches an external server, navigates the tab, or opens another", async () => {
  canary.reached.length = 0;
  const changes = await tryAll(pages, (name) => `/around/${name}`);
  expect([...new Set(canary.reached)]).toEqual([]);
  expect(changes).toEqual([]);
}, 400_000);

test("abuse 153: nothing in a preview in its own tab reaches an external server", async () => {
  canary.reached.length = 0;
  // What a page only loads goes by the headers of its own answer, which are the same.
  const active = activeEscapes.map(({ name }) => pageOf(name));
  const changes = await tryAll(active, (name) => `/_preview/${runId}/e/${name}/`);
  expect([...new Set(canary.reached)]).toEqual([]);
  expect(changes).toEqual([]);
}, 400_000);
