import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from "vitest";
import { Client } from "undici";
import { eventually } from "../support/eventually.ts";
import { repeatingPage } from "../support/hostile-html.ts";
import { startInstance, type TestInstance } from "../support/instance.ts";

let instance: TestInstance;
let sockets: Socket[];

beforeAll(async () => {
  instance = await startInstance({ apart: true });
  sockets = [];
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});
afterAll(() => instance?.[Symbol.asyncDispose]());

function holdConnections(): Socket {
  const socket = connect(Number(new URL(instance.baseUrl).port), "127.0.0.1");
  socket.on("error", () => {});
  sockets.push(socket);
  return socket;
}

const openFiles = async (pid: number) => (await readdir(`/proc/${pid}/fd`)).length;

/** How many files the process may have open, sockets included; from now on `max`, where that is said. */
function allowedFiles(pid: number, max?: string): string {
  const what = max === undefined ? ["--nofile", "--output", "SOFT"] : [`--nofile=${max}:`];
  const args = ["--pid", String(pid), "--noheadings", ...what];
  return execFileSync("/usr/bin/prlimit", args, { encoding: "utf8" }).trim();
}

/** The status of a page's answer, and whether it is a page or the envelope; "refused" for none. */
async function outcome(path: string): Promise<string> {
  const signal = AbortSignal.timeout(20_000);
  try {
    const response = await fetch(instance.baseUrl + path, { signal });
    const text = await response.text();
    if (/<\/html>\s*$/.test(text)) return `${response.status} page`;
    const { ok, error } = JSON.parse(text) as { ok: boolean; error: { code: string } | null };
    return `${response.status} ${ok ? "ok" : error?.code}`;
  } catch (error) {
    // What came and can't be read is no refusal.
    if (error instanceof SyntaxError) throw error;
    return "refused";
  }
}

test("abuse 108: without free file descriptors, web refuses requests, keeps running, and recovers", async () => {
  const web = instance.process("web");
  const { pid = 0 } = web;
  const early = new Client(instance.baseUrl);
  onTestFinished(() => early.destroy());
  const askEarly = async (path: string) => {
    const signal = AbortSignal.timeout(20_000);
    // A connection that rested for too long is ended, and there may be no other one.
    const response = await early.request({ path, method: "GET", signal }).catch(() => null);
    await response?.body.dump();
    return response?.statusCode ?? "refused";
  };
  await eventually(async () => expect(await askEarly("/api/health")).toBe(200));
  const before = allowedFiles(pid);
  onTestFinished(() => void allowedFiles(pid, before));
  const max = (await openFiles(pid)) + 20;
  allowedFiles(pid, String(max));
  for (let at = 0; at < 100; at += 1) holdConnections();
  await eventually(async () => expect(await openFiles(pid)).toBeGreaterThan(max - 3));
  // Whoever is connected is answered, unless the connection has rested for too long.
  expect([200, 503, "refused"]).toContain(await askEarly("/about/"));
  for (const path of ["/", "/about/", "/projects/"]) {
    expect(["200 page", "503 unavailable", "refused"]).toContain(await outcome(path));
    expect([200, 503, "refused"]).toContain(await askEarly("/api/health"));
  }
  for (const socket of sockets.splice(0)) socket.destroy();
  // One that came while there was no room may wait for all of its 20 seconds.
  const isServed = (path: string, as: string) =>
    eventually(async () => expect(await outcome(path)).toBe(as), 80_000);
  for (const path of ["/", "/about/", "/projects/"]) await isServed(path, "200 page");
  await isServed("/api/health", "200 ok");
  expect([web.exitCode, web.signalCode]).toEqual([null, null]);
}, 520_000);

test("abuse 5: a sign-in link that no route matches counts as a failed attempt", async () => {
  const open = (path: string) => fetch(`${instance.baseUrl}/admin/${path}`, { redirect: "manual" });
  for (const token of ["a".repeat(300), "vl_%zz", "vl_%E0%A4%A"]) {
    const response = await open(token);
    expect([response.status, response.headers.get("location")]).toEqual([302, "/admin?e=1"]);
  }
  // What can't be one is an address where nothing is.
  expect((await open("%zz")).status).toBe(404);
});

/** The processor time that the main thread of a process has taken, in ms. */
async function mainThreadTime(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/task/${pid}/schedstat`, "utf8");
  return Number(text.split(" ")[0]) / 1e6;
}

/** The most that the main thread of a process takes between two answers to `ask`, in ms. */
async function maxGapMs(pid: number, ask: () => Promise<unknown>, until: Promise<unknown>) {
  const state = { isOver: false };
  const over = until.finally(() => (state.isOver = true));
  let maxGap = 0;
  for (let last = await mainThreadTime(pid); !state.isOver;) {
    await ask();
    const now = await mainThreadTime(pid);
    maxGap = Math.max(maxGap, now - last);
    last = now;
  }
  await over;
  return maxGap;
}

test("abuse 146: pages that take long to process delay no request in web and runner", async () => {
  const page = join(await realpath(instance.paths.current), "contact/index.html");
  const before = await readFile(page);
  const replace = async (content: string | Uint8Array) => {
    // The file is linked to elsewhere as well, where it stays as it is.
    await rm(page);
    await writeFile(page, content);
  };
  onTestFinished(() => replace(before));
  const signedIn = await fetch(await instance.link(), { redirect: "manual" });
  const cookie = signedIn.headers.get("set-cookie")?.split(";")[0] ?? "";
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(instance.baseUrl + path, { ...init, headers: { cookie, ...init.headers } });
  const statusOf = async (path: string) => {
    const response = await ask(path);
    await response.arrayBuffer();
    expect(response.status).toBeLessThan(300);
  };
  const sendForm = async () => {
    const headers = {
      "content-type": "application/x-www-form-urlencoded",
      origin: instance.baseUrl,
    };
    const response = await ask("/api/contact", { method: "POST", headers, body: "name=Ada" });
    return [response.status, (await response.text()).includes("Write a message")];
  };
  const preview = async () => {
    const response = await ask("/_preview/live/contact/");
    return [response.status, (await response.text()).includes("can't be previewed")];
  };
  // What is loaded at the first request holds a process once.
  expect(await Promise.all([sendForm(), preview()])).toEqual([
    [422, false],
    [200, false],
  ]);
  for (const path of ["/api/health", "/devconsole/ping"]) await statusOf(path);

  await replace(repeatingPage(1000));
  const heavy = Promise.all([sendForm(), preview(), sendForm(), preview()]);
  const [web, runner] = (["web", "runner"] as const).map((name) => instance.process(name).pid ?? 0);
  const holds = await Promise.all([
    maxGapMs(web ?? 0, () => statusOf("/api/health"), heavy),
    maxGapMs(runner ?? 0, () => statusOf("/devconsole/ping"), heavy),
  ]);
  expect(await heavy).toEqual([
    [422, true],
    [422, true],
    [422, true],
    [422, true],
  ]);
  expect(Math.max(...holds)).toBeLessThan(200);
}, 180_000);

test("abuse 108: on SIGTERM, web completes running requests and accepts no new ones", async () => {
  const web = instance.process("web");
  const slow = holdConnections();
  let text = "";
  slow.on("data", (chunk: Buffer) => (text += chunk.toString()));
  const body = JSON.stringify({ password: "not the password" });
  const head = [
    "POST /api/adminauth/login HTTP/1.1",
    `Host: ${new URL(instance.baseUrl).host}`,
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
  ];
  await once(slow, "connect");
  slow.write(`${head.join("\r\n")}\r\n\r\n${body.slice(0, 5)}`);
  // What is answered after it came after it: by now it is under way.
  expect(await outcome("/api/health")).toBe("200 ok");
  const gone = once(web, "exit");
  web.kill("SIGTERM");
  await eventually(async () => expect(await outcome("/")).toBe("refused"));
  expect(web.exitCode).toBe(null);
  slow.write(body.slice(5));
  await eventually(() => expect(text).toMatch(/^HTTP\/1\.1 401 [^]*"code":"invalid_credentials"/));
  expect(await gone).toEqual([0, null]);
});
