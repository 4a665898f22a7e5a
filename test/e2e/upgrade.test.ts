import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, readFileSync } from "node:fs";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { unpack } from "../../packages/server/src/features/backup/unpack.ts";
import { instancePaths, platformRoot } from "../../packages/server/src/platform/paths.ts";
import { run, systemPath } from "../../packages/server/src/platform/process.ts";
import { programVersion } from "../../packages/server/src/platform/version.ts";
import { freePorts } from "../support/instance.ts";
import { eventually } from "../support/eventually.ts";
import { tempFolder } from "../support/temp.ts";

const copy = promisify(execFile);
const command = join(platformRoot, "node_modules/.bin/vitrine");
/** A backup of a small instance of each released version (test/support/store-instance.ts). */
const storedInstances = globSync(join(platformRoot, "test/instances/*.tar.gz"));

/** This program again, by hard links, as another version. */
async function makeVersion(dir: string, version: string): Promise<string> {
  await mkdir(dir);
  for (const name of ["node_modules", "packages", "package.json"]) {
    const from = join(platformRoot, name);
    // Tests run in memory, to which no link leads from a disk.
    await copy("/bin/cp", ["-al", from, dir]).catch(() => copy("/bin/cp", ["-a", from, dir]));
  }
  await changeFile(join(dir, "package.json"), (text) =>
    text.replace(/"version": "[^"]+"/, `"version": "${version}"`),
  );
  return dir;
}

/** Changes a file without changing those that it is linked with. */
async function changeFile(file: string, change: (text: string) => string): Promise<void> {
  const text = change(await readFile(file, "utf8"));
  await run("/bin/rm", [file]);
  await writeFile(file, text);
}

/** Adds a migration to a program, after its last one. */
async function addMigration(dir: string, statement: string): Promise<void> {
  const folder = join(dir, "packages/server/database/migrations");
  const next = globSync("*.sql", { cwd: folder }).length + 1;
  await writeFile(join(folder, `${String(next).padStart(3, "0")}-added.sql`), `${statement};\n`);
}

/** Puts the files of a backup in place as they are, without migrating anything. */
async function placeStored(file: string, dir: string): Promise<void> {
  await mkdir(dir);
  const { head } = await unpack({
    source: file,
    dir,
    signal: AbortSignal.timeout(60_000),
    async onHead() {},
  });
  const paths = instancePaths(dir);
  for (const name of ["workspaces", "artifacts", "uploads", "builders"] as const) {
    await mkdir(paths[name], { recursive: true });
  }
  await symlink(`releases/${head.release}`, paths.current);
}

interface Served extends AsyncDisposable {
  version(): Promise<string>;
  text(path: string): Promise<string>;
  vitrine(...args: string[]): Promise<{ ok: boolean; data: unknown; error: unknown }>;
}

/** Serves the instance in `dir`, upgraded to this program if it is older. */
async function serve(dir: string): Promise<Served> {
  const [port = 0, runnerPort = 0] = await freePorts(2);
  const baseUrl = `http://localhost:${port}`;
  const env = {
    PATH: systemPath,
    HOME: dir,
    VITRINE_DIR: dir,
    PORT: String(port),
    RUNNER_PORT: String(runnerPort),
    BASE_URL: baseUrl,
  };
  let log = "";
  const child = spawn(command, ["start", "--upgrade"], { env, stdio: ["ignore", "pipe", "pipe"] });
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (log += text));
  const served: Served = {
    async version() {
      const health = (await (await fetch(`${baseUrl}/api/health`)).json()) as {
        data: { version: string; checks: { runner: { status: string } } } | null;
      };
      expect(health.data?.checks.runner.status).toBe("ok");
      return health.data?.version ?? "";
    },
    text: async (path) => (await fetch(baseUrl + path)).text(),
    async vitrine(...args) {
      const { stdout, stderr } = await run(command, args, { env, timeoutMs: 300_000 });
      if (stdout === "") throw new Error(stderr);
      return JSON.parse(stdout) as Awaited<ReturnType<Served["vitrine"]>>;
    },
    async [Symbol.asyncDispose]() {
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      if (child.exitCode === null) await ended;
    },
  };
  await eventually(() => served.version(), 120_000).catch((cause: unknown) => {
    throw new Error(`It doesn't serve:\n${log.slice(-4000)}`, { cause });
  });
  return served;
}

test.each(storedInstances)(
  "abuse 199: a new version that fails changes nothing, one that works takes over: %s",
  async (stored) => {
    await using root = await tempFolder();
    const dir = join(root.path, "instance");
    await placeStored(stored, dir);
    await using served = await serve(dir);
    expect(await served.version()).toBe(programVersion());
    expect(await served.text("/")).toContain("See the shelf");

    const broken = await makeVersion(join(root.path, "broken"), "98.0.0");
    await addMigration(broken, "create table setting (name text)");
    const refused = await served.vitrine("upgrade", "--from", broken);
    expect(JSON.stringify(refused)).toContain("nothing has changed");
    expect(JSON.stringify(refused)).toContain("table setting already exists");
    expect(await served.version()).toBe(programVersion());

    await changeFile(join(broken, "package.json"), (text) => text.replace("98.0.0", "99.0.0"));
    const folder = join(broken, "packages/server/database/migrations");
    const added = globSync("*-added.sql", { cwd: folder })[0] ?? "";
    await writeFile(join(folder, added), "create table added (name text);\n");
    const upgraded = await served.vitrine("upgrade", "--from", broken);
    expect(upgraded).toMatchObject({
      ok: true,
      data: { from: programVersion(), to: "99.0.0", phase: "done" },
    });
    expect(await eventually(() => served.version(), 60_000)).toBe("99.0.0");
    expect(await served.text("/")).toContain("See the shelf");
    // The command of the first version continues as the one that serves.
    expect(await served.vitrine("setting", "get", "model.apiKey")).toMatchObject({ ok: true });
    const { data } = await served.vitrine("status");
    expect(data).toMatchObject({ running: true, version: "99.0.0" });
    expect(existsSync(join(dir, "backups/before-99.0.0.tar.gz"))).toBe(true);
    expect(readFileSync(join(dir, "data/upgrade/state.json"), "utf8")).toContain('"done"');
  },
  900_000,
);

test("there is a stored instance of a released version", () => {
  expect(storedInstances.map((file) => basename(file))).toContain("0.1.0.tar.gz");
});
