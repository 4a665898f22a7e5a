import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { nodeBinary, platformRoot } from "../../packages/server/src/platform/paths.ts";
import { killTree, processTree } from "../../packages/server/src/platform/process-tree.ts";
import { run, systemPath } from "../../packages/server/src/platform/process.ts";
import { launchBrowser, openPage } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { freePorts } from "../support/instance.ts";

let copy: string;
let dev: ChildProcess;
let browser: Browser;
let url: string;
let output = "";

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Changes one text of a file of the copy. */
async function edit(path: string, search: string, replacement: string): Promise<void> {
  const file = join(copy, path);
  const text = await readFile(file, "utf8");
  expect(text).toContain(search);
  await writeFile(file, text.replace(search, replacement));
}

beforeAll(async () => {
  // Beside node_modules: only there can its files be linked instead of copied.
  await mkdir(join(platformRoot, ".dev"), { recursive: true });
  copy = await mkdtemp(join(platformRoot, ".dev/copy-"));
  const linked = await run("/bin/cp", ["-al", join(platformRoot, "node_modules"), copy]);
  if (linked.exitCode !== 0) throw new Error(linked.stderr);
  const parts = ["package.json", "package-lock.json", "packages", "scripts", "tsconfig.json"];
  for (const part of [...parts, "test/support"]) {
    await cp(join(platformRoot, part), join(copy, part), {
      recursive: true,
      preserveTimestamps: true,
    });
  }
  const [port = 0] = await freePorts(1);
  url = `http://localhost:${port}`;
  dev = spawn(nodeBinary, [join(copy, "scripts/dev.ts"), "--port", String(port)], {
    cwd: copy,
    env: { PATH: systemPath, HOME: copy },
    stdio: ["ignore", "pipe", "pipe"],
  });
  for (const stream of [dev.stdout, dev.stderr]) {
    stream?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  }
  await eventually(() => {
    if (!/Sign in: \S+\n/.test(output)) throw new Error(`npm run dev serves nothing: ${output}`);
  }, 150_000);
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  if (dev?.pid !== undefined) killTree(dev.pid);
  await rm(copy, { recursive: true, force: true });
});

test("changes appear: in the console without a reload, in the server, and in the template", async () => {
  const { page } = await openPage(browser);
  const violations: string[] = [];
  page.on("console", (message) => {
    if (/Content Security Policy/.test(message.text())) violations.push(message.text());
  });
  await page.goto(/Sign in: (\S+)/.exec(output)?.[1] ?? "");
  await page.goto(`${url}/admin/projects`);
  await page.getByRole("link", { name: "New project" }).first().waitFor();
  await page.evaluate(() => ((globalThis as { kept?: boolean }).kept = true));
  await edit(
    "packages/console/src/features/projects/ProjectsPage.tsx",
    "New project",
    "Another project",
  );
  await page.getByRole("link", { name: "Another project" }).first().waitFor();
  expect(await page.evaluate(() => (globalThis as { kept?: boolean }).kept)).toBe(true);

  const heading = page.getByRole("heading", { level: 1 });
  await page.goto(url);
  await page.getByRole("button", { name: "Console" }).waitFor();
  const { heading: old } = JSON.parse(
    await readFile(join(copy, "packages/template/app/src/content/home.json"), "utf8"),
  ) as { heading: string };
  await edit("packages/template/app/src/content/home.json", old, "Seen at once.");
  await expect.poll(() => heading.textContent(), { timeout: 120_000 }).toBe("Seen at once.");

  await edit("packages/server/src/features/admin-auth/page-layout.ts", "<title>", "<title>New: ");
  const changed = async () => (await (await fetch(`${url}/admin`)).text()).includes("New: ");
  await expect.poll(changed, { timeout: 120_000 }).toBe(true);
  expect(violations).toEqual([]);
});

test("an instruction in the console becomes a change by the scripted model", async () => {
  const link = /Sign in: (\S+)/.exec(output)?.[1] ?? "";
  const signedIn = await fetch(link, { redirect: "manual" });
  const cookie = signedIn.headers.getSetCookie()[0]?.split(";", 1)[0] ?? "";
  const headers = { cookie, origin: url, "content-type": "application/json" };
  const body = JSON.stringify({ instruction: 'Let the heading say "Made by a script"' });
  const started = await fetch(`${url}/devconsole/run`, { method: "POST", headers, body });
  expect(started.status).toBeLessThan(300);
  const ready = async () => {
    const response = await fetch(`${url}/devconsole/runs?perPage=1`, { headers });
    const { data } = (await response.json()) as { data: { items: { status: string }[] } };
    return data.items[0]?.status;
  };
  await expect.poll(ready, { timeout: 120_000 }).toBe("preview_ready");
});

test("stopping it leaves no process", async () => {
  const pids = processTree(dev.pid ?? 0);
  expect(pids.length).toBeGreaterThan(2);
  dev.kill("SIGTERM");
  await once(dev, "exit");
  await eventually(() => expect(pids.some(isAlive)).toBe(false));
});
