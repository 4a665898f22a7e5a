import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, Frame, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readFrameScript } from "../../packages/server/src/features/admin-auth/console-assets.ts";
import { registerRunnerProxy } from "../../packages/server/src/features/admin-auth/runner-proxy.ts";
import {
  type AppServer,
  createHttpServer,
} from "../../packages/server/src/platform/http/server.ts";
import { createLog } from "../../packages/server/src/platform/log.ts";
import { platformRoot } from "../../packages/server/src/platform/paths.ts";
import { launchBrowser } from "../support/browser.ts";
import { type RunsApp, runnerKey, startRunsApp } from "../support/runs-app.ts";
import { scriptedAgent } from "../support/runs-site.ts";

const home = `<!doctype html><html><head><title>Home</title></head><body style="margin:0">
<h1 data-source="app/src/pages/index.astro:4:1">A heading</h1>
<p data-source="app/src/pages/index.astro:5:1">Text with <b>bold</b></p>
<a href="/other/" data-source="app/src/pages/index.astro:6:1">A link</a>
<input aria-label="Name"><div style="height:3000px"></div>
<script>
// What the page's own script may try: the console's script hears its console only.
postMessage({ kind: "pick" }, "*");
parent.postMessage({ kind: "publish" }, "*");
parent.postMessage({ kind: "picked", element: { file: "../../x", line: 1 } }, "*");
</script></body></html>`;

const other = `<!doctype html><html><head><title>Other</title></head><body>
<h1>Another page</h1><a href="../#end">Back</a><img src="/dot.svg" alt="A dot"></body></html>`;
const dot = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>';

let app: RunsApp;
let web: AppServer;
let browser: Browser;
let url: string;
let runId: string;

beforeAll(async () => {
  const frameScript = readFrameScript(join(platformRoot, "packages/console/dist"));
  app = await startRunsApp({ frameScript });
  runId = await app.edit(
    scriptedAgent(async ({ root }) => {
      const pages = join(root, "app/src/pages");
      await mkdir(join(pages, "other"), { recursive: true });
      await writeFile(join(pages, "index.html"), home);
      await writeFile(join(pages, "other/index.html"), other);
      await writeFile(join(pages, "dot.svg"), dot);
    }),
  );
  const log = createLog({ level: "silent", name: "web" });
  web = createHttpServer({ log, name: "web", secure: false });
  registerRunnerProxy(web, {
    guard: app.admin.guard,
    runnerUrl: app.url,
    runnerKey,
    baseUrl: "http://localhost:3000",
    verifyPreviewTicket: app.tickets.verifyUrl,
  });
  web.get("/framing", async (_request, reply) =>
    reply
      .header(
        "content-security-policy",
        "default-src 'self'; script-src 'unsafe-inline' 'unsafe-eval'",
      )
      .type("text/html")
      .send(
        `<!doctype html><script>var heard = []; onmessage = (e) => heard.push({ ...e.data, origin: e.origin })</script>
        <iframe src="/_preview/${runId}/" sandbox="allow-scripts" width="800" height="600"></iframe>`,
      ),
  );
  url = await web.listen({ host: "127.0.0.1", port: 0 });
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await web?.close();
  await app?.cleanup();
});

interface ReceivedMessages {
  kind: string;
  origin: string;
  [field: string]: unknown;
}

interface Framing {
  page: Page;
  frame: Frame;
  received(kind: string): Promise<ReceivedMessages[]>;
  /** Waits until a message of this kind has come; gives the last. */
  next(kind: string): Promise<ReceivedMessages>;
  say(message: object): Promise<void>;
}

async function openFraming(): Promise<Framing> {
  const context = await browser.newContext({ viewport: { width: 900, height: 700 } });
  const [name = "", value = ""] = app.cookie.split("=");
  await context.addCookies([{ name, value, url, sameSite: "Lax", httpOnly: true }]);
  const page = await context.newPage();
  await page.goto(`${url}/framing`);
  const received = async (kind: string) => {
    const all = JSON.parse(
      await page.evaluate<string>("JSON.stringify(heard)"),
    ) as ReceivedMessages[];
    return all.filter((message) => message.kind === kind);
  };
  const next = async (kind: string) => {
    await page.waitForFunction(`heard.some((message) => message.kind === "${kind}")`);
    const last = (await received(kind)).at(-1);
    await page.evaluate(`heard = heard.filter((message) => message.kind !== "${kind}")`);
    if (last === undefined) throw new Error("unheard");
    return last;
  };
  const frame = page.frames().find((one) => one !== page.mainFrame());
  if (frame === undefined) throw new Error("There is no frame.");
  const say = (message: object) =>
    page.evaluate<void>(`frames[0].postMessage(${JSON.stringify(message)}, "*")`);
  return { page, frame, received, next, say };
}

test("a page is reported once it is loaded, and its own scripts can't navigate the frame", async () => {
  const { page, frame, next, received } = await openFraming();
  expect(await next("ready")).toMatchObject({
    path: "/",
    origin: "null",
    height: expect.any(Number),
  });
  await frame.locator("h1").click();
  expect(await received("picked")).toHaveLength(1);
  expect(await frame.locator("vitrine-pick").count()).toBe(0);
  await page.context().close();
});

test("scrolling is reported in px with the total height, set as a fraction, and not echoed", async () => {
  const { page, frame, next, received, say } = await openFraming();
  await next("ready");
  await say({ kind: "scroll", top: 700, height: 2000, view: 600 });
  const way = (await frame.evaluate<number>("document.documentElement.scrollHeight")) - 600;
  await expect.poll(() => frame.evaluate<number>("scrollY")).toBe(Math.round(way / 2));
  await say({ kind: "scroll", top: 100 });
  await expect.poll(() => frame.evaluate<number>("scrollY")).toBe(100);
  expect(await received("scrolled")).toEqual([]);
  await page.mouse.move(400, 300);
  await page.mouse.wheel(0, 250);
  const { top, height, view } = await next("scrolled");
  expect([Number(top) > 100, height, view]).toEqual([true, way + 600, 600]);
  await page.context().close();
});

test("the console's keys are passed on, but not from a field or with other modifiers", async () => {
  const { page, frame, next, received } = await openFraming();
  await next("ready");
  await frame.locator("h1").click();
  for (const key of ["x", "Control+p", "Enter"]) await page.keyboard.press(key);
  await page.keyboard.press("Shift+P");
  expect(await next("key")).toMatchObject({ key: "p" });
  await page.keyboard.press("Escape");
  expect(await next("key")).toMatchObject({ key: "Escape" });
  await frame.getByLabel("Name").fill("");
  await page.keyboard.type("pd1");
  expect(await frame.getByLabel("Name").inputValue()).toBe("pd1");
  expect(await received("key")).toEqual([]);
  await page.context().close();
});

test("picking highlights the element, leaves nothing behind, and reports its source location", async () => {
  const { page, frame, next, say } = await openFraming();
  await next("ready");
  await next("picked");
  const before = await frame.evaluate<string>("document.documentElement.outerHTML");
  await say({ kind: "pick" });
  await frame.locator("vitrine-pick").waitFor({ state: "attached" });
  await frame.locator("b").click({ force: true });
  const element = { file: "app/src/pages/index.astro", line: 5, column: 1, tag: "b" };
  expect(await next("picked")).toMatchObject({ element: { ...element, text: "bold", page: "/" } });
  await say({ kind: "pick" });
  await frame.locator("vitrine-pick").waitFor({ state: "attached" });
  await page.locator("iframe").focus();
  await page.keyboard.press("Escape");
  await next("unpicked");
  await say({ kind: "pick" });
  await frame.locator("vitrine-pick").waitFor({ state: "attached" });
  await say({ kind: "unpick" });
  await frame.locator("vitrine-pick").waitFor({ state: "detached" });
  expect(await frame.evaluate<string>("document.documentElement.outerHTML")).toBe(before);
  await page.context().close();
});

test("in edit mode, a click selects a text and makes it editable; links aren't followed", async () => {
  const { page, frame, next, say, received } = await openFraming();
  await next("ready");
  const sheets = () => frame.evaluate<number>("document.adoptedStyleSheets.length");
  await say({ kind: "edit", on: true });
  await expect.poll(sheets).toBe(1);
  await frame.locator("h1").click();
  const { key } = await next("text");
  expect(await frame.locator("h1[contenteditable=plaintext-only]").count()).toBe(1);
  await page.keyboard.press("End");
  await page.keyboard.type("!");
  expect(await next("edited")).toMatchObject({ key, text: "A heading!" });
  await page.keyboard.press("Enter");
  expect(await frame.locator("[contenteditable]").count()).toBe(0);
  await frame.getByText("A link").click();
  expect(await next("text")).toMatchObject({ text: "A link" });
  await page.keyboard.press("Escape");
  await frame.locator("p").click({ position: { x: 5, y: 5 } });
  expect(await next("text")).toMatchObject({ text: "Text with bold" });
  expect(await frame.locator("p[contenteditable]").count()).toBe(0);
  await say({ kind: "edit", on: false });
  await expect.poll(sheets).toBe(0);
  await frame.locator("h1").click();
  expect(await received("text")).toEqual([]);
  expect(await received("key")).toEqual([]);
  expect(new URL(frame.url()).pathname).toBe(`/_preview/${runId}/`);
  await page.context().close();
});

/** The frame of a preview in a tab of its own, once it shows this heading. */
async function frameOf(page: Page, heading: string): Promise<Frame> {
  await page.frameLocator("iframe").getByRole("heading", { name: heading }).waitFor();
  const frame = page.frames().find((one) => one !== page.mainFrame());
  if (frame === undefined) throw new Error("There is no frame.");
  return frame;
}

test("a link asks the console to navigate the frame unless it stays on the page or opens a tab", async () => {
  const { page, frame, next, received } = await openFraming();
  await next("ready");
  await frame.getByText("A link").click();
  expect(await next("link")).toMatchObject({ path: "/other/" });
  expect(new URL(frame.url()).pathname).toBe(`/_preview/${runId}/`);
  await frame.getByText("A link").click({ modifiers: ["ControlOrMeta"] });
  expect(await received("link")).toEqual([]);
  await page.context().close();
});

test("abuse 24: links work in a tab; an address copied from it shows nothing in another browser", async () => {
  const context = await browser.newContext();
  const [name = "", value = ""] = app.cookie.split("=");
  await context.addCookies([{ name, value, url, sameSite: "Lax", httpOnly: true }]);
  const page = await context.newPage();
  await page.goto(`${url}/_preview/${runId}/`);
  await (await frameOf(page, "A heading")).getByText("A link").click();
  const frame = await frameOf(page, "Another page");
  expect(new URL(frame.url()).pathname).toBe(`/_preview/${runId}/other/`);
  await expect.poll(() => frame.evaluate<number>("document.images[0].naturalWidth")).toBe(9);
  const copied = [
    page.url(),
    frame.url(),
    await frame.evaluate<string>("document.links[0].href"),
    await frame.evaluate<string>("document.images[0].currentSrc"),
    await frame.evaluate<string>("document.scripts[0].src"),
  ];
  await frame.getByText("Back").click();
  expect(new URL((await frameOf(page, "A heading")).url()).hash).toBe("#end");
  const elsewhere = await (await browser.newContext()).newPage();
  for (const address of copied) {
    const response = await elsewhere.goto(address);
    expect([address, response?.status()]).toEqual([address, 401]);
    expect(await response?.text()).toContain('"unauthenticated"');
  }
  await elsewhere.context().close();
  await context.close();
});
