import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, Frame } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { registerAdminAuth } from "../../packages/server/src/features/admin-auth/api.ts";
import { registerRunnerProxy } from "../../packages/server/src/features/admin-auth/runner-proxy.ts";
import { defaultLimits } from "../../packages/server/src/platform/config.ts";
import { makeClientOf } from "../../packages/server/src/platform/http/client-address.ts";
import {
  type AppServer,
  createHttpServer,
} from "../../packages/server/src/platform/http/server.ts";
import { createLog } from "../../packages/server/src/platform/log.ts";
import { launchBrowser } from "../support/browser.ts";
import { type RunsApp, runnerKey, startRunsApp } from "../support/runs-app.ts";
import { scriptedAgent } from "../support/runs-site.ts";

/** What a hostile page tries; each gives "done" when it got somewhere, else what stopped it. */
const attempts = `
const attempts = {
  async ownData() { if ((await fetch(ownPrefix + "/data.txt")).status === 401) throw new Error("not by ticket"); },
  async ownPage() { if ((await fetch(ownPrefix + "/")).status === 401) throw new Error("not by ticket"); },
  async readAdmin() { await (await fetch("/api/adminauth/me", { credentials: "include" })).text(); },
  async readAdminBlind() { await fetch("/api/adminauth/me", { mode: "no-cors", credentials: "include" }); },
  async publish() {
    await fetch("/devconsole/publish", {
      method: "POST", mode: "no-cors", credentials: "include",
      headers: { "content-type": "application/json" }, body: JSON.stringify({ runId }),
    });
  },
  async publishByXhr() {
    const xhr = new XMLHttpRequest();
    xhr.open("POST", "/devconsole/publish", false);
    xhr.send("{}");
  },
  async beacon() { navigator.sendBeacon("/devconsole/publish", "{}"); await pause(); throw new Error("unheard"); },
  async events() {
    const source = new EventSource("/devconsole/stream/" + runId);
    await new Promise((resolve, reject) => { source.onopen = resolve; source.onerror = reject; });
  },
  async socket() {
    const socket = new WebSocket("ws://" + location.host + "/devconsole");
    await new Promise((resolve, reject) => { socket.onopen = resolve; socket.onerror = reject; });
  },
  async picture() { await load(new Image(), "src", "/api/adminauth/me"); },
  async foreignPicture() { await load(new Image(), "src", "http://127.0.0.1:9/leak.png"); },
  async script() { await load(document.head.appendChild(document.createElement("script")), "src", "/api/adminauth/me"); },
  async module() { await import("/api/adminauth/me"); },
  async style() {
    const link = document.createElement("link");
    link.rel = "stylesheet";
    document.head.append(link);
    await load(link, "href", "/admin");
  },
  async frame() {
    const frame = document.createElement("iframe");
    frame.src = "/admin";
    document.body.append(frame);
    await pause();
    throw new Error("unheard");
  },
  async window() { if (!window.open("/admin")) throw new Error("no window"); },
  async form() {
    const form = document.createElement("form");
    form.method = "post";
    form.action = "/devconsole/publish";
    document.body.append(form);
    form.submit();
    await pause();
    throw new Error("unheard");
  },
  async worker() { const w = new Worker(ownPrefix + "/worker.js"); await new Promise((_, no) => { w.onerror = no; }); },
  async inlineWorker() {
    const w = new Worker(URL.createObjectURL(new Blob(["postMessage(1)"])));
    await new Promise((yes, no) => { w.onmessage = yes; w.onerror = no; });
  },
  async serviceWorker() { await navigator.serviceWorker.register(ownPrefix + "/worker.js"); },
  async parentDocument() { void window.parent.document.body; },
  async parentAddress() { void window.top.location.href; },
  async leaveTop() {
    if (window.top === window) throw new Error("it is the top");
    window.top.location.href = "/admin";
  },
  async cookie() { void document.cookie; },
  async storage() { void localStorage.length; },
  async database() { await new Promise((yes, no) => { const r = indexedDB.open("x"); r.onsuccess = yes; r.onerror = no; }); },
};
const controls = {
  async ownFile() { if ((await (await fetch(ownPrefix + "/_astro/part.js")).text()) !== "export const part = 1") throw new Error("other"); },
  async ownModule() { if ((await import("/_astro/part.js")).part !== 1) throw new Error("other"); },
  async ownPicture() { await load(new Image(), "src", ownPrefix + "/dot.svg"); },
  async ownStyle() { if (getComputedStyle(document.body).color !== "rgb(1, 2, 3)") throw new Error("no style"); },
};
function pause() { return new Promise((resolve) => setTimeout(resolve, 300)); }
function load(element, name, address) {
  return new Promise((resolve, reject) => {
    element.onload = resolve;
    element.onerror = () => reject(new Error("not loaded"));
    element[name] = address;
  });
}
const ownPrefix = document.querySelector("link").getAttribute("href").replace("/_astro/a.css", "");
const runId = ownPrefix.split("/")[2];
const results = {};
const outcome = (attempt) => attempt().then(() => "done", (error) => "refused: " + (error?.message ?? "error"));
for (const [name, control] of Object.entries(controls)) results[name] = await outcome(control);
for (const [name, attempt] of Object.entries(attempts)) {
  results[name] = await Promise.race([
    outcome(attempt),
    new Promise((resolve) => setTimeout(() => resolve("refused: silence"), 2000)),
  ]);
}
document.body.dataset.results = JSON.stringify(results);
`;

const files: Record<string, string> = {
  "index.html": `<!doctype html><html><head><link rel="stylesheet" href="/_astro/a.css"></head>
<body><a href="/">Home</a><script type="module">${attempts}</script></body></html>`,
  "_astro/a.css": "body{color:rgb(1,2,3)}",
  "_astro/part.js": "export const part = 1",
  "data.txt": "mine",
  "worker.js": "postMessage(1)",
  "dot.svg": '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>',
};

let app: RunsApp;
let web: AppServer;
let browser: Browser;
let runId: string;
let url: string;
const requested: string[] = [];

/** The web process's part of it: sign-in, gate, and a page that frames the preview. */
async function startWeb(): Promise<string> {
  const { db, guard, clock } = app.admin;
  const baseUrl = "http://localhost:3000";
  web = createHttpServer({
    log: createLog({ level: "silent", name: "web" }),
    name: "web",
    secure: false,
  });
  web.addHook("onRequest", async (request) => {
    requested.push(`${request.method} ${request.url}`);
  });
  const clientOf = makeClientOf({ trustedIps: [], trustProxy: [] });
  registerAdminAuth(web, {
    db,
    clock,
    config: { baseUrl, limits: defaultLimits },
    guard,
    clientOf,
  });
  registerRunnerProxy(web, {
    guard,
    runnerUrl: app.url,
    runnerKey,
    baseUrl,
    verifyPreviewTicket: app.tickets.verifyUrl,
  });
  web.get("/framing", async (_request, reply) =>
    reply
      .header("content-security-policy", "default-src 'self'")
      .type("text/html")
      .send(`<!doctype html><iframe src="/_preview/${runId}/"></iframe>`),
  );
  return web.listen({ host: "127.0.0.1", port: 0 });
}

beforeAll(async () => {
  app = await startRunsApp();
  runId = await app.edit(
    scriptedAgent(async (context) => {
      for (const [path, text] of Object.entries(files)) {
        const file = join(context.root, "app/src/pages", path);
        await mkdir(join(file, ".."), { recursive: true });
        await writeFile(file, text);
      }
    }),
  );
  url = await startWeb();
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
  await web?.close();
  await app?.cleanup();
});

async function resultsIn(frame: Frame): Promise<Record<string, string>> {
  // The policy also forbids evaluating strings, as a condition to wait for would be.
  const body = frame.locator("body[data-results]");
  await body.waitFor({ state: "attached", timeout: 90_000 });
  return JSON.parse((await body.getAttribute("data-results")) ?? "") as Record<string, string>;
}

async function signedInPage() {
  const context = await browser.newContext();
  const [name = "", value = ""] = app.cookie.split("=");
  await context.addCookies([{ name, value, url, sameSite: "Lax", httpOnly: true }]);
  const page = await context.newPage();
  return { context, page };
}

const controls = new Set(["ownFile", "ownModule", "ownPicture", "ownStyle"]);

function expectRefused(results: Record<string, string>, allowed: string[] = []) {
  for (const [name, result] of Object.entries(results)) {
    const expected = controls.has(name) || allowed.includes(name) ? /^done$/ : /^refused/;
    expect([name, result]).toEqual([name, expect.stringMatching(expected)]);
  }
}

/** Not only unheard by the script: nothing of it ever left the browser. */
function expectNothingElseRequested() {
  const known = [`GET /_preview/${runId}/`, "GET /framing", "GET /favicon.ico"];
  const others = requested.filter((line) => !known.some((start) => line.startsWith(start)));
  expect(others).toEqual([]);
}

test("abuse 19: a script in a framed preview can reach only the preview", async () => {
  const { context, page } = await signedInPage();
  requested.length = 0;
  await page.goto(`${url}/framing`);
  const frame = page.frames().find((one) => one !== page.mainFrame());
  expect(frame).toBeDefined();
  const results = await resultsIn(frame as Frame);
  expectRefused(results);
  expectNothingElseRequested();
  expect(context.pages()).toHaveLength(1);
  expect(page.url()).toBe(`${url}/framing`);
  expect((await app.runs.get(runId)).status).toBe("preview_ready");
  await context.close();
});

test("abuse 19: a script in a preview opened in its own tab can reach only the preview", async () => {
  const { context, page } = await signedInPage();
  requested.length = 0;
  await page.goto(`${url}/_preview/${runId}/`);
  // It is held in a frame of ours.
  const frame = page.frames().find((one) => one !== page.mainFrame());
  expect(frame).toBeDefined();
  expectRefused(await resultsIn(frame as Frame));
  expectNothingElseRequested();
  expect(context.pages()).toHaveLength(1);
  expect((await app.runs.get(runId)).status).toBe("preview_ready");
  await context.close();
});
