import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { nodeBinary, platformRoot } from "../../packages/server/src/platform/paths.ts";
import { killTree } from "../../packages/server/src/platform/process-tree.ts";
import { run, systemPath } from "../../packages/server/src/platform/process.ts";
import { flatPng } from "../support/image-bytes.ts";
import { signIn } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { freePorts } from "../support/instance.ts";
import { startSmallSite } from "../support/small-site.ts";
import { type TempFolder, tempFolder } from "../support/temp.ts";

/** What of it may be installed, in bytes: docs/decisions/067 says what takes how much. */
const maxInstalledBytes = 200e6;

let folder: TempFolder;
let installed: string;
let site: string;
let env: Record<string, string>;
let baseUrl: string;
const started: ChildProcess[] = [];

async function succeed(command: string, args: string[], cwd: string): Promise<string> {
  const options = { cwd, env: process.env as Record<string, string>, timeoutMs: 240_000 };
  const { exitCode, stdout, stderr } = await run(command, args, options);
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
  return stdout;
}

beforeAll(async () => {
  folder = await tempFolder();
  const [port, runnerPort] = await freePorts(2);
  baseUrl = `http://localhost:${port}`;
  installed = join(folder.path, "installed");
  site = join(folder.path, "site");
  // Nothing of this repository, and Node as a user has it.
  env = {
    PATH: `${dirname(nodeBinary)}:${systemPath}`,
    HOME: folder.path,
    PORT: String(port),
    RUNNER_PORT: String(runnerPort),
  };
  for (const dir of [installed, site]) await mkdir(dir);
  const script = join(platformRoot, "scripts/package.ts");
  const packed = await succeed(nodeBinary, [script, "--to", folder.path], folder.path);
  const archive = packed.trim().split("\n").at(-1) ?? "";
  // npm has in its cache what it has to ask for: the packages with machine code, after `npm ci`.
  const quiet = ["--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund"];
  await succeed("npm", ["install", "--omit=dev", ...quiet, archive], installed);
}, 480_000);
afterAll(async () => {
  for (const child of started) if (child.pid !== undefined) killTree(child.pid);
  await folder.remove();
});

const program = () => join(installed, "node_modules/.bin/vitrine");

/** Runs a command in the folder of the site. */
async function vitrine(...args: string[]): Promise<Record<string, unknown>> {
  const { stdout, stderr } = await run(program(), args, { cwd: site, env, timeoutMs: 120_000 });
  expect({ stdout, stderr }).toMatchObject({ stdout: expect.stringMatching(/^\{"ok":true/) });
  return (JSON.parse(stdout) as { data: Record<string, unknown> }).data;
}

/** `npx vitrine`, until it has said where the site is. */
async function start(args: string[]) {
  const child = spawn(program(), args, { cwd: site, env, stdio: ["ignore", "pipe", "pipe"] });
  started.push(child);
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (stdout += chunk));
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (stderr += chunk));
  await eventually(() => {
    if (child.exitCode !== null) throw new Error(`vitrine ended: ${stdout}${stderr}`);
    expect(stdout).toMatch(/Vitrine serves [^]*\n\n/);
  }, 120_000);
  return { child, stdout, stderr };
}

describe("the npm package", () => {
  test("contains no source, no typings, and no tool of the development, and stays small", async () => {
    const root = join(installed, "node_modules");
    const files = await readdir(root, { recursive: true, withFileTypes: true });
    const names = files
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
    // A site's own code is TypeScript, and Astro's components and templates for typings.
    const left = names.filter((name) => /\.(?:tsx?|[cm]ts|map)$/.test(name));
    expect(left.filter((name) => !/\/packages\/template\/|\/@?astro(?:js)?\//.test(name))).toEqual(
      [],
    );
    const tools = ["typescript", "vitest", "playwright-core", "oxlint", "knip"];
    expect(await readdir(join(root, "vitrine/node_modules"))).not.toEqual(
      expect.arrayContaining(tools.map((name) => expect.stringMatching(`^${name}$`))),
    );
    const sizes = await Promise.all(names.map(async (name) => (await stat(join(root, name))).size));
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    expect(bytes).toBeLessThan(maxInstalledBytes);
  });

  test("says plainly that Node is too old, in words that every Node understands", async () => {
    const bin = join(installed, "node_modules/vitrine/bin/vitrine.cjs");
    const pretend = join(folder.path, "pretend.cjs");
    await writeFile(
      pretend,
      'Object.defineProperty(process, "versions", { value: { node: "18.20.4" } });\n',
    );
    const { exitCode, stderr } = await run(nodeBinary, ["--require", pretend, bin, "--yes"]);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: expect.stringContaining("Vitrine needs Node 24.15 or later. This is Node 18.20.4"),
    });
    const code = (await readFile(bin, "utf8")).replace(/^\/\/.*$/gm, "");
    expect(code).not.toMatch(/=>|`|\?\.|\b(?:const|let|class|import|async)\b/);
  });

  test("npx vitrine --yes installs, serves, and gives a link; an edit is built and published", async () => {
    const first = await start(["--yes"]);
    const link =
      first.stdout.split("\n").find((line) => line.startsWith(`${baseUrl}/admin/`)) ?? "";
    expect(first.stderr).toContain(`Installing into ${site}/instance`);
    expect(await (await fetch(`${baseUrl}/search/`)).text()).toContain("</html>");
    expect((await fetch(`${baseUrl}/pagefind/pagefind.js`)).status).toBe(200);

    const admin = await signIn({ baseUrl, link: async () => link });
    const overview = await fetch(`${baseUrl}/admin`, { headers: { cookie: admin.cookie } });
    const [, script = ""] = /<script[^>]+src="([^"]+)"/.exec(await overview.text()) ?? [];
    expect((await fetch(new URL(script, baseUrl))).status).toBe(200);
    const { checks } = await vitrine("status");
    expect(checks).toMatchObject({ runner: { status: "ok" }, sandbox: { status: "ok" } });

    const form = new FormData();
    form.append(
      "file",
      new Blob([new Uint8Array(flatPng(640, 480))], { type: "image/png" }),
      "a.png",
    );
    const upload = await fetch(`${baseUrl}/api/media/upload`, {
      method: "POST",
      headers: { cookie: admin.cookie },
      body: form,
    });
    expect(await upload.json()).toMatchObject({ ok: true });
    // Instructions, reviews, and comparisons are done by threads.
    const runId = await admin.start('replace "See the work" with "Look at the work"');
    await admin.reach(runId, "preview_ready");
    await admin.post("/devconsole/publish", { runId });
    await eventually(async () => {
      expect(await (await fetch(baseUrl)).text()).toContain("Look at the work");
    }, 60_000);
  });

  test("has the files for a host, the program for services, and the QA engine", async () => {
    const host = join(folder.path, "host");
    expect(await vitrine("deploy", "caddy", host)).toMatchObject({ files: ["Caddyfile"] });
    const service = join(installed, "node_modules/vitrine/packages/server/bin/vitrine");
    const version = await run(service, ["--version"], { cwd: folder.path, env });
    expect(version).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    });

    const html =
      '<!doctype html><html lang="en"><title>Home</title><h1>Home</h1><a href="/gone">A</a>';
    await using small = await startSmallSite({ "/": html });
    const args = ["qa", `${small.origin}/`, "--no-browser", "--format", "json"];
    const { findings } = await vitrine(...args);
    expect(findings).toContainEqual(expect.objectContaining({ check: "link.internal-broken" }));
  });

  test("started again in the same folder, it keeps the site", async () => {
    const running = started.at(-1);
    running?.kill("SIGTERM");
    if (running?.exitCode === null) await once(running, "exit");
    const again = await start([]);
    expect(again.stderr).not.toContain("Installing");
    expect(again.stdout).not.toContain("/admin/vl_");
    expect(await (await fetch(baseUrl)).text()).toContain("Look at the work");
  });
});
