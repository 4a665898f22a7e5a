import { chmod, mkdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { brotliDecompressSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { copyMigratedDatabase } from "../../../../test/support/migrated-database.ts";
import { tempFolder, type TempFolder } from "../../../../test/support/temp.ts";
import type { RepairResult } from "../features/install/repair.ts";
import { storeArtifact } from "../features/release/artifact/artifact-store.ts";
import { initialRelease } from "../features/release/current-symlink.ts";
import { actorIdentity } from "../features/workspace/commit.ts";
import { makeRepository } from "../features/workspace/git.ts";
import { initRepository } from "../features/workspace/init.ts";
import { exists, writeFileAtomic } from "../platform/files.ts";
import { acquireLock } from "../platform/lock.ts";
import { createLog } from "../platform/log.ts";
import { type InstancePaths, instancePaths } from "../platform/paths.ts";
import { run } from "../platform/process.ts";
import { createKeys } from "../platform/secrets.ts";
import { runCommand } from "./cli.ts";

const log = createLog({ level: "silent", name: "test" });
const page = `<!doctype html><html lang="en"><title>Home</title>${"<p>words</p>".repeat(200)}</html>`;
let folder: TempFolder;
let paths: InstancePaths;

/** A whole instance: keys, database, content repository, release 1. */
async function install(): Promise<void> {
  await mkdir(join(paths.content, "app"), { recursive: true });
  await writeFile(join(paths.content, "app/page.md"), "Words.\n");
  const { content: contentDir, workspaces: workspacesDir } = paths;
  const repository = makeRepository({ contentDir, workspacesDir, log });
  const author = actorIdentity("Ada");
  await initRepository(repository, { author, at: 0, message: "Begin\n" });
  repository.close();
  await createKeys(paths.keys);
  await copyMigratedDatabase(paths.database);
  await chmod(paths.database, 0o600);
  const outDir = join(folder.path, "out");
  await mkdir(outDir);
  await writeFile(join(outDir, "index.html"), page);
  const artifact = await storeArtifact({
    outDir,
    mediaDir: join(folder.path, "media"),
    artifactsDir: paths.artifacts,
    bounds: { bytes: 2 ** 30, files: 1000 },
    redirects: { baseUrl: "https://example.com", list: [] },
  });
  await mkdir(paths.releases, { recursive: true });
  await initialRelease(paths, artifact);
  await writeFile(paths.configFile, JSON.stringify({ sandbox: "off" }));
  await writeFileAtomic(paths.installLock, "{}");
}

beforeEach(async () => {
  folder = await tempFolder();
  paths = instancePaths(join(folder.path, "instance"));
  await mkdir(join(folder.path, "media"));
  await install();
});
afterEach(() => folder.remove());

interface Doctor {
  code: number;
  healthy: boolean;
  checks: { name: string; status: string; message: string; fix?: string }[];
  repairs: RepairResult[];
  told: string;
}

async function doctor(...options: string[]): Promise<Doctor> {
  const streams = {
    stdin: Readable.from([""]),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
  };
  const code = await runCommand(["doctor", ...options], { VITRINE_DIR: paths.dir }, streams);
  streams.stdout.end();
  streams.stderr.end();
  const answer = JSON.parse(await text(streams.stdout)) as {
    data: Doctor | null;
    error: { details: Doctor } | null;
  };
  const found = answer.data ?? answer.error?.details;
  return { ...(found as Doctor), code, told: await text(streams.stderr) };
}

/** The repairs of the instance itself, whatever the machine lacks. */
const ofInstance = ({ repairs }: Doctor) => repairs.filter(({ name }) => name !== "tools");
const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);
const releaseFile = (name: string) => join(paths.releases, "1", name);

async function expectFixed(name: string, problem: RegExp): Promise<void> {
  const checked = await doctor();
  expect(checked.checks).toContainEqual(
    expect.objectContaining({ name, status: "warning", fix: "vitrine doctor --fix" }),
  );
  const fixed = await doctor("--fix");
  expect(ofInstance(fixed)).toEqual([
    { name, status: "fixed", before: [expect.stringMatching(problem)], after: [] },
  ]);
  expect(fixed.told).toMatch(problem);
  expect(fixed.told).toContain(`${name}: fixed.`);
  expect(ofInstance(await doctor("--fix"))).toEqual([]);
}

describe("vitrine doctor --fix", () => {
  test("has nothing to do for a healthy instance", async () => {
    const found = await doctor("--fix");
    expect(ofInstance(found)).toEqual([]);
    expect(found.checks.filter(({ status }) => status === "failed")).toEqual([]);
  });

  test("takes from others the rights that only the owner needs", async () => {
    const key = join(paths.keys, "runner.key");
    await chmod(key, 0o644);
    await chmod(paths.database, 0o664);
    const fixed = await doctor("--fix");
    expect(ofInstance(fixed)[0]).toMatchObject({ name: "file modes", status: "fixed" });
    expect(ofInstance(fixed)[0]?.before).toHaveLength(2);
    expect([await modeOf(key), await modeOf(paths.database)]).toEqual(["600", "600"]);
    expect(fixed.checks).toContainEqual(expect.objectContaining({ name: "keys", status: "ok" }));
  });

  test("with --dry-run says what it would do, and changes nothing", async () => {
    const key = join(paths.keys, "runner.key");
    await chmod(key, 0o644);
    const found = await doctor("--fix", "--dry-run");
    expect(ofInstance(found)).toMatchObject([{ name: "file modes", status: "would be fixed" }]);
    expect(await modeOf(key)).toBe("644");
    expect((await doctor("--dry-run")).code).toBe(1);
  });

  test("creates a missing index", async () => {
    const database = new DatabaseSync(paths.database);
    database.exec("drop index run_by_status");
    database.close();
    await expectFixed("indexes", /run_by_status is missing/);
    const after = new DatabaseSync(paths.database);
    const row = after.prepare("select sql from sqlite_master where name = 'run_by_status'").get();
    after.close();
    expect(row).toMatchObject({ sql: expect.stringContaining("on run (status, created_at)") });
  });

  test("makes a damaged index anew", async () => {
    const database = new DatabaseSync(paths.database);
    database.enableDefensive?.(false);
    database.exec(`create table other (name text); create index other_by_name on other (name);
      insert into other values ('x'), ('y'), ('z');
      pragma writable_schema = on;
      update sqlite_master set sql = 'create index other_by_name on other (name desc)' where name = 'other_by_name';
      pragma writable_schema = off`);
    database.close();
    const fixed = await doctor("--fix");
    expect(ofInstance(fixed)).toMatchObject([{ name: "indexes", status: "fixed" }]);
    expect(ofInstance(await doctor("--fix"))).toEqual([]);
  });

  test("applies what an interrupted migration has left", async () => {
    const database = new DatabaseSync(paths.database);
    database.exec("delete from migration where name = '020-focal-point'");
    database.close();
    await expectFixed("migrations", /lacks 020-focal-point/);
    expect((await doctor()).checks).toContainEqual(
      expect.objectContaining({ name: "database", status: "ok" }),
    );
  });

  test("creates no database in place of one that is missing", async () => {
    await rm(paths.database);
    const { repairs, code } = await doctor("--fix");
    expect(repairs.find(({ name }) => name === "migrations")).toMatchObject({
      status: "not fixed",
      reason: expect.stringContaining("Restore a backup"),
    });
    expect(code).toBe(1);
  });

  test("removes what killed processes have left, and nothing that is in use", async () => {
    const old = join(paths.keys, "settings.key.0123456789ab.tmp");
    const young = `${paths.configFile}.0123456789ab.tmp`;
    for (const file of [old, young]) await writeFile(file, "half", { mode: 0o600 });
    await utimes(old, 0, 0);
    await mkdir(join(paths.data, "backup/data"), { recursive: true });
    const lock = acquireLock(join(paths.data, "backup.lock"));
    const first = await doctor("--fix");
    expect(ofInstance(first)[0]?.before).toEqual([expect.stringContaining("settings.key.0123")]);
    lock?.release();
    await expectFixed("leftovers", /data\/backup was left/);
    expect(await readFile(young, "utf8")).toBe("half");
  });

  test("removes a lock that a killed git process has left", async () => {
    const lock = join(paths.content, ".git/index.lock");
    await writeFile(lock, "");
    await expectFixed("git locks", /index\.lock was left/);
    expect(await exists(lock)).toBe(false);
  });

  test("packs a repository of many loose objects without losing any", async () => {
    const input = Array.from(
      { length: 2100 },
      (_, at) => `blob\nmark :${at + 1}\ndata 5\n${10_000 + at}\n`,
    );
    const git = (args: string[], given = "") =>
      run("git", ["-C", paths.content, ...args], {
        input: given,
        env: { PATH: process.env["PATH"] ?? "" },
      });
    const files = Array.from({ length: 2100 }, (_, at) => `M 644 :${at + 1} f${at}\n`);
    const commit = `commit refs/heads/many\ncommitter A <a@b> 0 +0000\ndata 1\nx\n${files.join("")}\n`;
    await git(
      ["-c", "fastimport.unpackLimit=100000", "fast-import", "--quiet"],
      input.join("") + commit,
    );
    const unreachable = (
      await git(["hash-object", "-w", "--stdin"], "a running edit")
    ).stdout.trim();
    await expectFixed("repository", /\d{4} loose objects/);
    expect((await git(["cat-file", "-p", unreachable])).stdout).toBe("a running edit");
    expect((await git(["cat-file", "-p", "many:f2099"])).stdout).toBe("12099");
    expect((await git(["fsck", "--connectivity-only"])).exitCode).toBe(0);
  });

  test("restores files of the live release, and names those it can't", async () => {
    await rm(releaseFile("index.html.br"));
    await rm(releaseFile("index.html.gz"));
    await writeFile(releaseFile("index.html.gz"), "damaged");
    const fixed = await doctor("--fix");
    expect(ofInstance(fixed)).toMatchObject([{ name: "live release", status: "fixed" }]);
    expect(ofInstance(fixed)[0]?.before).toHaveLength(2);
    const encoded = await readFile(releaseFile("index.html.br"));
    expect(brotliDecompressSync(encoded).toString()).toBe(page);
    // Gone from the release alone, it is still in the store.
    await rm(releaseFile("index.html"));
    await expectFixed("live release", /index\.html is missing/);
    expect(await readFile(releaseFile("index.html"), "utf8")).toBe(page);
    await rm(join(paths.artifacts, ".store"), { recursive: true });
    await rm(releaseFile("index.html"));
    expect(ofInstance(await doctor("--fix"))).toMatchObject([
      {
        name: "live release",
        status: "not fixed",
        reason: expect.stringContaining("vitrine rebuild"),
      },
    ]);
  });

  test("never touches content", async () => {
    const file = join(paths.content, "app/page.md");
    await writeFile(file, "Words that nobody has committed.\n");
    await writeFile(join(paths.content, "app/new.md"), "New.\n");
    await chmod(paths.database, 0o644);
    await doctor("--fix");
    expect(await readFile(file, "utf8")).toBe("Words that nobody has committed.\n");
    expect(await readFile(join(dirname(file), "new.md"), "utf8")).toBe("New.\n");
  });
});
