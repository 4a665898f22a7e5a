import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, readlink, stat } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openDatabase } from "../../packages/server/src/platform/db/connect.ts";
import { exists } from "../../packages/server/src/platform/files.ts";
import { instancePaths, platformRoot } from "../../packages/server/src/platform/paths.ts";
import { killTree } from "../../packages/server/src/platform/process-tree.ts";
import { run } from "../../packages/server/src/platform/process.ts";
import { tempFolder, type TempFolder } from "../support/temp.ts";

const vitrine = join(platformRoot, "packages/server/bin/vitrine");

let folder: TempFolder;
beforeEach(async () => {
  folder = await tempFolder();
});
afterEach(() => folder.remove());

interface Ended {
  code: number | null;
  answer: { ok: boolean; data: unknown; error: { code: string } | null } | null;
}

/** Starts an installation in an environment with an empty home. */
function startInstall(dir: string): ChildProcess {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, HOME: folder.path, LOG_LEVEL: "info" };
  return spawn(vitrine, ["install", "--yes", "--dir", dir], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
}

async function end(child: ChildProcess): Promise<Ended> {
  const [output, [code]] = await Promise.all([
    text(child.stdout!),
    once(child, "exit") as Promise<[number | null]>,
  ]);
  return { code, answer: output === "" ? null : (JSON.parse(output) as Ended["answer"]) };
}

/** Kills an installation with all it started when `isMoment` says so of a line of its log. */
async function killInstall(dir: string, isMoment: (line: string) => boolean): Promise<boolean> {
  const child = startInstall(dir);
  let killed = false;
  child.stderr!.setEncoding("utf8").on("data", (chunk: string) => {
    if (killed || !chunk.split("\n").some(isMoment)) return;
    killed = true;
    killTree(child.pid!, "SIGKILL");
  });
  await end(child);
  return killed;
}

async function killInstallAfter(dir: string, ms: number): Promise<void> {
  const child = startInstall(dir);
  child.stderr!.resume();
  const timer = setTimeout(() => killTree(child.pid!, "SIGKILL"), ms);
  await end(child);
  clearTimeout(timer);
}

async function installWhole(dir: string): Promise<Ended> {
  const child = startInstall(dir);
  child.stderr!.resume();
  return end(child);
}

async function git(dir: string, ...args: string[]): Promise<string> {
  const { stdout, exitCode, stderr } = await run("git", args, { cwd: join(dir, "content") });
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
  return stdout.trim();
}

/** Everything that a whole installation has. */
async function expectWhole(dir: string): Promise<void> {
  const paths = instancePaths(dir);
  expect(JSON.parse(await readFile(paths.configFile, "utf8"))).toHaveProperty("owner.name");
  for (const name of await readdir(paths.keys)) {
    const { mode } = await stat(join(paths.keys, name));
    expect({ name, mode: mode & 0o777 }).toEqual({ name, mode: 0o600 });
  }
  expect((await readdir(paths.keys)).toSorted()).toEqual([
    "preview.key",
    "runner.key",
    "settings.key",
  ]);
  expect(await git(dir, "rev-list", "--count", "main")).toBe("1");
  expect(await git(dir, "status", "--porcelain")).toBe("");
  await git(dir, "fsck", "--strict", "--no-dangling");
  expect(await readlink(paths.current)).toBe("releases/1");
  expect(await readFile(join(paths.current, "index.html"), "utf8")).toContain("</html>");
  expect((await readdir(paths.releases)).toSorted()).toEqual(["1", "1.json", "1.tags"]);
  expect(await readdir(paths.data)).not.toContain(".current-1");
  const database = openDatabase({ url: null, file: paths.database });
  try {
    const count = async (table: string) => {
      const query = sql<{ n: number }>`select count(*) as n from ${sql.table(table)}`;
      return (await query.execute(database.db)).rows[0]?.n;
    };
    const sample = JSON.parse(
      await readFile(join(paths.content, "database/projects.json"), "utf8"),
    ) as { projects: unknown[]; media: unknown[] };
    expect(await count("project")).toBe(sample.projects.length);
    expect(await count("media")).toBe(sample.media.length);
    expect(await count("changelog_entry")).toBeGreaterThan(3);
    const check = await sql<{ integrity_check: string }>`pragma integrity_check`.execute(
      database.db,
    );
    expect(check.rows[0]?.integrity_check).toBe("ok");
  } finally {
    await database.close();
  }
}

const steps = [
  "folders",
  "keys",
  "configuration",
  "content",
  "repository",
  "database",
  "records",
  "first release",
];

describe("vitrine install", () => {
  test("abuse 99: installs once; again and in parallel it is refused, nothing changed", async () => {
    const dir = join(folder.path, "instance");
    const ends = await Promise.all([installWhole(dir), installWhole(dir), installWhole(dir)]);
    expect(ends.map(({ code }) => code).toSorted()).toEqual([0, 1, 1]);
    const refusals = ends.flatMap(({ answer: response }) => response?.error?.code ?? []);
    expect(refusals.every((code) => ["locked", "already_exists"].includes(code))).toBe(true);
    await expectWhole(dir);
    const before = await stat(join(dir, "data/install.lock"));
    const again = await installWhole(dir);
    expect(again).toMatchObject({ code: 1, answer: { error: { code: "already_exists" } } });
    expect((await stat(join(dir, "data/install.lock"))).mtimeMs).toBe(before.mtimeMs);
    await expectWhole(dir);
  });

  test("killed in every step, one instance is still finished", async () => {
    const dir = join(folder.path, "instance");
    for (const step of steps) {
      const isMoment = (line: string) => line.includes(`"${step}"`) && line.includes("started");
      const killed = await killInstall(dir, isMoment);
      expect({ step, killed }).toEqual({ step, killed: true });
      expect(await exists(join(dir, "data/install.lock"))).toBe(false);
    }
    expect((await installWhole(dir)).code).toBe(0);
    await expectWhole(dir);
  });

  test("killed at points in time all over it, running it again finishes it", async () => {
    const measured = performance.now();
    await installWhole(join(folder.path, "measure"));
    const whole = performance.now() - measured;
    const points = 3;
    const dir = join(folder.path, "instance");
    for (let point = 1; point <= points; point += 1) {
      if (await exists(join(dir, "data/install.lock"))) break;
      await killInstallAfter(dir, (whole * point) / (points + 1));
    }
    const { code, answer: response } = await installWhole(dir);
    expect(code === 0 || response?.error?.code === "already_exists").toBe(true);
    await expectWhole(dir);
  });
});
