import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  chmod,
  cp,
  link,
  mkdir,
  readFile,
  readdir,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { sql } from "kysely";
import { unpackTar } from "modern-tar";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { filesBelow, installSmall, vitrine } from "../../../../../test/support/backups.ts";
import { openInstance } from "../../../../../test/support/publish/publish-instance.ts";
import { isRoot } from "../../../../../test/support/publish/machine.ts";
import { tempFolder, type TempFolder } from "../../../../../test/support/temp.ts";
import { sha256Hex } from "../../kit/hash.ts";
import { exists, removeTree } from "../../platform/files.ts";
import { readLastBackup } from "../../platform/last-backup.ts";
import { acquireLock } from "../../platform/lock.ts";
import { instancePaths } from "../../platform/paths.ts";
import { unfinishedIntents } from "../release/store.ts";
import { mainHead } from "../workspace/git.ts";

// Each of them is many files, forced to the disk.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 180_000 });

let folder: TempFolder;
/** An instance that each test copies. */
let made: string;
beforeAll(async () => {
  folder = await tempFolder();
  made = join(folder.path, "made");
  await installSmall(made);
});
afterAll(() => folder.remove());

const hashOf = async (file: string) => sha256Hex(await readFile(file));

let copies = 0;
/** An instance of its own, the place for a backup of it, and an empty one. */
async function place() {
  copies += 1;
  const root = join(folder.path, `${copies}`);
  const dir = join(root, "instance");
  await cp(made, dir, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
  const [file, into] = [join(root, "site.tar.gz"), join(root, "back")];
  const backup = (...args: string[]) => vitrine(["backup", file, ...args], { VITRINE_DIR: dir });
  const restore = () => vitrine(["restore", file, "--into", into]);
  return { root, dir, file, into, backup, restore, paths: instancePaths(dir) };
}

test("what was backed up is an instance again: files, rows, history, keys, and what is live", async () => {
  const { dir, file, into, backup, restore, paths } = await place();
  // In no commit: edited by hand, and an image that no rebuild has committed.
  await writeFile(join(paths.content, "app/src/pages/index.astro"), "<h1>By hand</h1>\n");
  await writeFile(join(paths.content, "app/public/media/2026/b ü.jpg"), "another");
  const deep = "app/src/" + "a-folder-with-a-long-name/".repeat(8);
  await mkdir(join(paths.content, deep), { recursive: true });
  await writeFile(join(paths.content, deep, "note.md"), "");
  await chmod(join(paths.content, "scripts/note.sh"), 0o755);
  await symlink("/etc/passwd", join(paths.content, "app/link"));
  await mkdir(paths.references, { mode: 0o700 });
  await writeFile(join(paths.references, "x.webp"), "shown to agents", { mode: 0o600 });
  await mkdir(join(paths.data, "compile-cache"));
  await writeFile(join(paths.data, "compile-cache/x"), "made anew");

  // What is being stored while the backup is made.
  const unfinished = ["data/references/y.webp.part", "content/app/public/media/2026/c.jpg.part"];
  for (const path of unfinished) await writeFile(join(dir, path), "half");

  // A runner that lives, and a build that is no part of a backup.
  const now = "2026-01-01T00:00:00.000Z";
  const origin = openInstance(dir);
  await sql`insert into runner (id, host, pid, port, started_at, seen_at)
    values ('one', 'here', 1, 1, ${now}, ${now})`.execute(origin.database.db);
  await sql`insert into members_build (name, input_hash, projects, public_ids, artifact)
    values ('members', 'x', '[]', '[]', 'gone')`.execute(origin.database.db);
  await origin.close();

  const done = await backup();
  expect(done).toMatchObject({
    code: 0,
    data: { file, database: "sqlite", release: 1, openRuns: 0, skippedFiles: ["content/app/link"] },
  });
  expect(done.stderr).toBe("");
  expect(done.data["size"]).toBe((await stat(file)).size);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readdir(join(file, ".."))).toEqual(["instance", "site.tar.gz"]);
  expect(await readdir(paths.data)).not.toContain("backup");
  expect(await readLastBackup(paths.data)).toBe(done.data["createdAt"]);

  expect(await restore()).toMatchObject({
    code: 0,
    data: { dir: into, database: "sqlite", release: 1, migrated: [] },
  });
  const back = await filesBelow(into);
  const retained = (await filesBelow(dir)).filter(
    (path) =>
      !unfinished.includes(path) &&
      !/^data\/(artifacts|compile-cache|last-backup\.json|[^/]*\.lock)(\/|$)/.test(path) &&
      !/^data\/(current$|vitrine\.db)|\.git\/vitrine\.lock$|^content\/app\/link$/.test(path),
  );
  const more = ["data/current", "data/install.lock", "data/vitrine.db"];
  expect(back).toEqual([...retained, ...more].toSorted());
  // Git's own configuration and index are made again.
  for (const path of retained.filter((each) => !/\.git\/(config|index)$/.test(each))) {
    expect([path, await hashOf(join(into, path))]).toEqual([path, await hashOf(join(dir, path))]);
  }
  const modeOf = async (path: string) => (await stat(join(into, path))).mode & 0o777;
  expect(await modeOf("content/scripts/note.sh")).toBe(0o755);
  expect(await modeOf("data/keys")).toBe(0o700);
  for (const path of ["data/keys/settings.key", "data/vitrine.db", "data/references/x.webp"]) {
    expect(await modeOf(path)).toBe(0o600);
  }
  const [before, after] = [openInstance(dir), openInstance(into)];
  expect(await mainHead(after.repository)).toBe(await mainHead(before.repository));
  // But for the link and what wasn't finished.
  const left = /^\?\? (app\/link|.*\.part)\n/gm;
  const changes = (await before.git("status", "--short")).replaceAll(left, "");
  expect(await after.git("status", "--short")).toBe(changes);
  expect(await readFile(join(after.paths.current, "index.html"), "utf8")).toBe("<h1>Home 0</h1>\n");
  expect((await sql`select id from runner`.execute(after.database.db)).rows).toEqual([]);
  const builds = await sql`select artifact from members_build`.execute(after.database.db);
  expect(builds.rows).toEqual([{ artifact: null }]);
  // What was edited by hand is known as that.
  const workspace = await after.workspace("NEXT", { "brand/voice.md": "Loud.\n" });
  const publish = after.publisher.publish(await after.request(workspace));
  await expect(publish).rejects.toMatchObject({ code: "dirty_tree" });
  await before.close();
  await after.close();
});

test("while the site is published again and again: rows, main and the live release are those of one moment", async () => {
  const { dir, into, backup, restore } = await place();
  const instance = openInstance(dir);
  const first = await mainHead(instance.repository);
  const over = new AbortController();
  onTestFinished(() => over.abort());
  const publishing = (async () => {
    for (let n = 1; !over.signal.aborted; n += 1) {
      const page = { "app/src/pages/index.astro": `<h1>Home ${n}</h1>\n` };
      const workspace = await instance.workspace(`RUN${n}`, page);
      const request = { waitMs: 60_000 };
      await instance.publisher.publish(await instance.request(workspace, request));
    }
  })();
  for (let n = 0; n < 3; n += 1) {
    expect(await backup("--force")).toMatchObject({ code: 0 });
    const { code, data } = await restore();
    expect(code).toBe(0);
    const back = openInstance(into);
    expect(await unfinishedIntents(back.database.db)).toEqual([]);
    const rows = await back.database.db
      .withTables<{ publish_intent: { commit_sha: string; release_number: number } }>()
      .selectFrom("publish_intent")
      .select(["commit_sha", "release_number"])
      .orderBy("release_number", "desc")
      .execute();
    const last = rows[0] ?? { commit_sha: first, release_number: 1 };
    expect(last.commit_sha).toBe(await mainHead(back.repository));
    expect(last.release_number).toBe(data["release"]);
    const page = await readFile(join(back.paths.content, "app/src/pages/index.astro"), "utf8");
    expect(await readFile(join(back.paths.current, "index.html"), "utf8")).toBe(page);
    expect(await back.git("status", "--short")).toBe("");
    expect(await back.git("fsck", "--full", "--strict")).not.toMatch(/error|missing|corrupt/);
    // It goes on from there.
    const next = await back.workspace("NEXT", { "brand/voice.md": "Loud.\n" });
    await back.publisher.publish(await back.request(next));
    expect(await back.git("log", "-1", "--format=%s")).toBe("Change by NEXT\n");
    await back.close();
    await removeTree(into);
  }
  over.abort();
  await publishing;
  await instance.close();
});

test("- is stdout, and the answer is on stderr, also that of a failure", async () => {
  const { dir, paths } = await place();
  const done = await vitrine(["backup", "-"], { VITRINE_DIR: dir });
  expect(done).toMatchObject({ code: 0, data: { file: null, size: null } });
  const entries = await unpackTar(gunzipSync(done.stdout), { strict: true });
  expect(entries[0]?.header.name).toBe("backup.json");
  expect(entries.at(-1)?.header.name).toBe("files.json");
  expect(entries.map(({ header }) => header.name)).toContain("data/vitrine.db");
  const pending = acquireLock(join(paths.data, "backup.lock"));
  const failed = await vitrine(["backup", "-"], { VITRINE_DIR: dir });
  expect(failed).toMatchObject({ code: 1, error: { code: "locked" } });
  expect(failed.stdout).toHaveLength(0);
  pending?.release();
});

test("a file that is there stays, unless told; what a killed backup left goes", async () => {
  const { root, dir, file, backup, paths } = await place();
  await writeFile(file, "precious");
  expect(await backup()).toMatchObject({ code: 1, error: { code: "already_exists" } });
  expect(await readFile(file, "utf8")).toBe("precious");
  await writeFile(`${file}.part`, "half");
  await mkdir(join(paths.data, "backup/content"), { recursive: true });
  expect(await backup("--force")).toMatchObject({ code: 0 });
  expect(await readdir(root)).toEqual(["instance", "site.tar.gz"]);
  expect(await readdir(paths.data)).not.toContain("backup");

  const env = { VITRINE_DIR: dir };
  const refusals = [
    [join(root, "no/where.tar.gz"), "not_found"],
    [join(paths.content, "app/x.tar.gz"), "bad_request"],
    [join(paths.data, "x.tar.gz"), "bad_request"],
  ] as const;
  for (const [path, code] of refusals) {
    expect(await vitrine(["backup", path], env)).toMatchObject({ code: 1, error: { code } });
  }
  const { data } = await vitrine(["backup", root], env);
  const named = /^vitrine-example\.org-\d{4}-\d\d-\d\dT\d{6}Z\.tar\.gz$/;
  expect(String(data["file"]).slice(root.length + 1)).toMatch(named);
  expect(await vitrine(["backup", file], { VITRINE_DIR: root })).toMatchObject({
    code: 1,
    error: { code: "unavailable" },
  });
});

test("a folder by another name is a folder", async () => {
  const { root, dir } = await place();
  await mkdir(join(root, "disk"));
  await symlink(join(root, "disk"), join(root, "shelf"));
  const { code, data } = await vitrine(["backup", join(root, "shelf")], { VITRINE_DIR: dir });
  const names = (await readdir(join(root, "disk"))).map((name) => join(root, "disk", name));
  expect([code, [data["file"]]]).toEqual([0, names]);
});

test("what an import under way has begun comes along, for the start to take it back", async () => {
  const { paths, into, backup, restore } = await place();
  await mkdir(join(paths.data, "import/uploads"), { recursive: true });
  const started = JSON.stringify([sha256Hex("a picture")]);
  await writeFile(join(paths.data, "import/begun.json"), started);
  await writeFile(join(paths.data, "import/uploads/copy-1"), "half a picture");
  expect(await backup()).toMatchObject({ code: 0 });
  expect(await restore()).toMatchObject({ code: 0 });
  expect(await readdir(join(into, "data/import"))).toEqual(["begun.json"]);
  expect(await readFile(join(into, "data/import/begun.json"), "utf8")).toBe(started);
});

test("an image that is also in the release is written once", async () => {
  const { file, into, backup, restore, paths } = await place();
  const image = join(paths.content, "app/public/media/2026/large.jpg");
  await writeFile(image, randomBytes(3_000_000));
  await mkdir(join(paths.releases, "1/media/2026"), { recursive: true });
  await link(image, join(paths.releases, "1/media/2026/large.jpg"));
  expect(await backup()).toMatchObject({ code: 0 });
  expect((await stat(file)).size).toBeLessThan(4_000_000);
  expect(await restore()).toMatchObject({ code: 0 });
  const twice = ["content/app/public/media/2026/large.jpg", "data/releases/1/media/2026/large.jpg"];
  for (const path of twice) {
    expect(await hashOf(join(into, path))).toBe(await hashOf(image));
  }
});

test.skipIf(!isRoot)("a full disk is told, and nothing is left on it", async () => {
  const { root, file, backup } = await place();
  const disk = join(root, "disk");
  await mkdir(disk);
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", disk]);
  try {
    await writeFile(join(root, "instance/content/app/noise"), randomBytes(300_000));
    const env = { VITRINE_DIR: join(root, "instance") };
    const target = join(disk, "site.tar.gz");
    expect(await vitrine(["backup", target], env)).toMatchObject({
      code: 1,
      error: { code: "disk_full" },
    });
    expect(await readdir(disk)).toEqual([]);
    expect(await backup()).toMatchObject({ code: 0 });
    expect(await vitrine(["restore", file, "--into", join(disk, "site")])).toMatchObject({
      code: 1,
      error: { code: "disk_full" },
    });
    expect(await exists(join(disk, "site"))).toBe(false);
  } finally {
    execFileSync("umount", ["-l", disk]);
  }
});
