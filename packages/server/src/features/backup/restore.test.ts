import { execFileSync } from "node:child_process";
import { cp, mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { sql } from "kysely";
import { packTar } from "modern-tar";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import {
  entryOf,
  filesBelow,
  installSmall,
  readEntries,
  type TarEntry,
  vitrine,
  withText,
  writeForged,
} from "../../../../../test/support/backups.ts";
import { silentLog } from "../../../../../test/support/publish/publish-instance.ts";
import { tempFolder, type TempFolder } from "../../../../../test/support/temp.ts";
import { openDatabase } from "../../platform/db/connect.ts";
import { migrate } from "../../platform/db/migrate.ts";
import { exists } from "../../platform/files.ts";
import { acquireLock } from "../../platform/lock.ts";
import { instancePaths, platformRoot } from "../../platform/paths.ts";
import { contentState } from "../workspace/content-tree.ts";
import { makeRepository } from "../workspace/git.ts";
import { createWorkspace } from "../workspace/workspace.ts";

// Each of them is many files, forced to the disk.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 180_000 });

let folder: TempFolder;
/** A backup, what is in it, and a folder that is not there yet. */
let file: string;
let entries: TarEntry[];
let into: string;
beforeAll(async () => {
  folder = await tempFolder();
  const dir = join(folder.path, "instance");
  await installSmall(dir);
  file = join(folder.path, "site.tar.gz");
  await vitrine(["backup", file], { VITRINE_DIR: dir });
  entries = await readEntries(file);
  into = join(folder.path, "some/where");
});
afterEach(() => rm(join(folder.path, "some"), { recursive: true, force: true }));
afterAll(() => folder.remove());

const restore = (from: string, env: Record<string, string> = {}) =>
  vitrine(["restore", from, "--into", into], env);

/** Why a backup is not restored, and whether anything of it is left. */
async function refusal(from: string) {
  const { code, error } = await restore(from);
  const isLeft = await exists(join(folder.path, "some"));
  return { code, error: error?.code, isLeft };
}

function isSame(compressed: Buffer, whole: Buffer): boolean {
  try {
    return gunzipSync(compressed).equals(whole);
  } catch {
    return false;
  }
}

const damaged = { code: 1, error: "validation_failed", isLeft: false };

describe("a damaged backup is refused, and nothing of it is left", () => {
  test("a byte that is another, and an end that is missing", async () => {
    const bytes = await readFile(file);
    const broken = join(folder.path, "broken.tar.gz");
    const whole = gunzipSync(bytes);
    for (let n = 0; n < 24; n += 1) {
      // After the header of gzip, in which a time and a name of a system are anybody's.
      const at = 10 + Math.floor((n * (bytes.length - 11)) / 23);
      const other = Buffer.from(bytes);
      other[at] = (other[at] ?? 0) ^ 0x10;
      // A few bits between two blocks say nothing.
      if (isSame(other, whole)) continue;
      await writeFile(broken, other);
      expect(await refusal(broken)).toEqual(damaged);
    }
    for (const length of [0, 5, 600, bytes.length / 2, bytes.length - 200, bytes.length - 1]) {
      await writeFile(broken, bytes.subarray(0, length));
      expect(await refusal(broken)).toEqual(damaged);
    }
    expect(await refusal(join(folder.path, "instance/vitrine.json"))).toEqual(damaged);
    expect(await refusal(join(folder.path, "instance"))).toMatchObject({ error: "not_found" });
  });

  test("files that are missing, too many, or others than the list says", async () => {
    const forged = join(folder.path, "forged.tar.gz");
    const at = entries.findIndex(({ header }) => header.name === "content/brand/voice.md");
    const other = { ...entries[at], data: new Uint8Array(Buffer.from("Blain.\n")) } as TarEntry;
    const list = JSON.parse(Buffer.from(entries.at(-1)?.data ?? []).toString()) as {
      files: { path: string }[];
    };
    const less = { files: list.files.filter(({ path }) => path !== "content/brand/voice.md") };
    const variants: TarEntry[][] = [
      entries.toSpliced(at, 1, other),
      entries.toSpliced(at, 1),
      entries.toSpliced(at, 0, entryOf({ name: "content/brand/more.md" })),
      entries.with(entries.length - 1, withText(entries.at(-1) as TarEntry, JSON.stringify(less))),
      entries.slice(0, -1),
      [...entries, entryOf({ name: "content/after.md" })],
    ];
    for (const variant of variants) {
      await writeFile(forged, gzipSync(await packTar(variant)));
      expect(await refusal(forged)).toEqual(damaged);
    }
  });
});

const withBytes = ({ header }: TarEntry, bytes: Buffer): TarEntry => ({
  header: { ...header, size: bytes.length },
  data: new Uint8Array(bytes),
});

/** A backup with more in it, whose head and list are right. */
async function forge(
  more: readonly TarEntry[],
  head?: (head: Record<string, unknown>) => Record<string, unknown>,
): Promise<string> {
  const forged = join(folder.path, "forged.tar.gz");
  await writeForged(forged, [...entries.slice(0, -1), ...more, ...entries.slice(-1)], head);
  return forged;
}

test("a backup of PostgreSQL isn't restored or imported without it, and the error says what to do", async () => {
  const forged = await forge([], (head) => ({ ...head, database: "postgres" }));
  const { error } = await restore(forged);
  expect(error.message).toMatch(/PostgreSQL\. Name an empty database with DATABASE_URL .*`vitrine/);
  const args = ["site", "import", "robert", forged, "--domain", "robert.example"];
  const imported = await vitrine(args, { VITRINE_DIR: join(folder.path, "instance") });
  expect(imported.error).toMatchObject({
    code: "bad_request",
    message:
      "The backup is from an instance with PostgreSQL. Import it into an installation with PostgreSQL.",
  });
});

describe("a backup may come from a stranger", () => {
  test("one that was only written anew is taken", async () => {
    expect(await restore(await forge([entryOf({ name: "content/more.md" })]))).toMatchObject({
      code: 0,
    });
    expect(await readFile(join(into, "content/more.md"), "utf8")).toBe("");
  });

  test.each([
    ["a path that leads out", { name: "content/../../../evil" }],
    ["a path that leads out at its end", { name: "content/app/.." }],
    ["a path from the root", { name: "/tmp/vitrine-evil" }],
    ["a path without a folder", { name: "evil" }],
    ["a folder of the program's own", { name: "data/artifacts/x" }],
    ["a write-ahead log for the database", { name: "data/vitrine.db-wal" }],
    ["something that git would run", { name: "content/.git/hooks/post-checkout" }],
    ["the same by another name", { name: "content/.GIT/hooks/post-checkout" }],
    ["a control character", { name: "content/a\nb" }],
    ["a file twice", { name: "vitrine.json" }],
    ["a file as a folder", { name: "vitrine.json/", type: "directory" }],
    ["a folder that leads out", { name: "content/../../evil/", type: "directory" }],
    ["a link", { name: "content/app/out", type: "symlink", linkname: "/" }],
    [
      "a second name of a file outside",
      { name: "content/x", type: "link", linkname: "/etc/passwd" },
    ],
    [
      "a second name of the database",
      { name: "content/app/public/media/x", type: "link", linkname: "data/vitrine.db" },
    ],
    ["a device", { name: "content/app/null", type: "character-device" }],
    ["a pipe", { name: "content/app/pipe", type: "fifo" }],
    ["a sparse file", { name: "content/app/sparse", pax: { "GNU.sparse.major": "1" } }],
  ] as const)("%s is refused, and nothing is left", async (_what, header) => {
    expect(await refusal(await forge([entryOf(header)]))).toEqual(damaged);
    expect(await readdir(folder.path)).not.toContain("evil");
  });

  test.each([
    [
      "objects that are another site's",
      "objects/info/alternates",
      "/srv/sites/bob/content/.git/objects\n",
    ],
    ["the same by another name", "OBJECTS/info/Alternates", "../../../bob/content/.git/objects\n"],
    ["objects from an address", "objects/info/http-alternates", "https://example.org/bob\n"],
    ["a repository that is another site's", "commondir", "../../../bob/content/.git\n"],
    ["the same in capitals", "COMMONDIR", "../../../bob/content/.git\n"],
  ])("abuse 239: %s are refused, and nothing is left", async (_what, name, text) => {
    const forged = await forge([entryOf({ name: `content/.git/${name}` }, text)]);
    expect(await refusal(forged)).toEqual(damaged);
  });

  test("abuse 239: git's configuration, index, and links of a backup lead to no other site", async () => {
    const other = join(folder.path, "sites/bob/content");
    await cp(join(folder.path, "instance/content"), other, { recursive: true });
    const settings = `[core]
	repositoryformatversion = 1
	worktree = ${other}
[extensions]
	worktreeConfig = true
[include]
	path = ${other}/.git/config
[filter "evil"]
	smudge = touch ${folder.path}/ran
[remote "origin"]
	url = ${other}
`;
    const index = await readFile(join(other, ".git/index"), "latin1");
    const text = index.replace("brand/voice.md", "../../x/secret");
    const forged = entries
      .filter(({ header }) => !/^content\/\.git\/(config|index)$/.test(header.name))
      .toSpliced(
        -1,
        0,
        entryOf({ name: "content/.git/config" }, settings),
        withBytes(entryOf({ name: "content/.git/index" }), Buffer.from(text, "latin1")),
        entryOf({ name: "content/.git/config.worktree" }, settings),
        entryOf(
          { name: "content/.gitmodules" },
          `[submodule "x"]\n\tpath = app/x\n\turl = ${other}\n`,
        ),
      );
    const hostile = join(folder.path, "hostile.tar.gz");
    await writeForged(hostile, forged);
    expect(await restore(hostile)).toMatchObject({ code: 0 });
    const git = (...args: string[]) =>
      execFileSync("git", ["-C", join(into, "content"), ...args], { encoding: "utf8" });
    expect(git("config", "--local", "--list")).not.toMatch(/bob|evil|include|worktree|remote/i);
    expect(git("rev-parse", "--show-toplevel").trim()).toBe(join(into, "content"));
    expect(git("ls-files")).toContain("brand/voice.md");
    expect(git("ls-files")).not.toContain("..");
    const repository = makeRepository({
      contentDir: join(into, "content"),
      workspacesDir: join(into, "data/workspaces"),
      log: silentLog,
    });
    const before = await filesBelow(other);
    await createWorkspace(repository, "RUN1");
    await contentState(repository);
    repository.close();
    expect(await filesBelow(other)).toEqual(before);
    expect(await exists(join(folder.path, "ran"))).toBe(false);
  });

  test.each([
    "content/app/x/.git",
    "content/app/x/.git/config",
    "content/app/x/.GIT/HEAD",
    "content/.git./config",
    "content/app/.git /config",
    "content/app/git~1/config",
    "content/app/.g\u200cit/config",
    "content/.git/modules/x/config",
    "content/.git/refs/.git",
    "data/releases/1/.git",
  ])("abuse 239: a repository inside at %j is refused, and nothing is left", async (name) => {
    expect(await refusal(await forge([entryOf({ name }, "gitdir: ../../bob/.git\n")]))).toEqual(
      damaged,
    );
  });

  test("abuse 239: a submodule is restored without its repository, and git starts nothing in one", async () => {
    const dir = join(folder.path, "submodule");
    const [ran, hostile] = [join(folder.path, "ran"), join(folder.path, "submodule.tar.gz")];
    await cp(join(folder.path, "instance"), dir, { recursive: true });
    const inner = join(dir, "content/app/x");
    await mkdir(inner);
    const git = (cwd: string, ...args: string[]) =>
      execFileSync("git", ["-C", cwd, "-c", "user.name=x", "-c", "user.email=x@x", ...args], {
        encoding: "utf8",
      });
    await writeFile(join(inner, "file"), "1\n");
    await writeFile(join(inner, ".gitattributes"), "* filter=evil\n");
    git(inner, "init", "-q");
    git(inner, "add", ".");
    git(inner, "commit", "-qm", "x");
    git(inner, "config", "filter.evil.clean", `touch ${ran}; cat`);
    await writeFile(join(inner, "file"), "2\n");
    const head = git(inner, "rev-parse", "HEAD").trim();
    git(join(dir, "content"), "update-index", "--add", "--cacheinfo", `160000,${head},app/x`);
    git(join(dir, "content"), "commit", "-qm", "Submodule");
    const backup = await vitrine(["backup", hostile], { VITRINE_DIR: dir });
    expect(backup.data).toMatchObject({ skippedFiles: ["content/app/x/.git"] });
    expect(await restore(hostile)).toMatchObject({ code: 0 });
    const content = join(into, "content");
    expect(await readdir(join(content, "app/x"))).toEqual([".gitattributes", "file"]);
    expect(git(content, "ls-files", "--stage")).not.toMatch(/^160000/m);
    // As in a site that an earlier version imported.
    await cp(join(inner, ".git"), join(content, "app/x/.git"), { recursive: true });
    git(content, "read-tree", "HEAD");
    const repository = makeRepository({
      contentDir: content,
      workspacesDir: join(into, "data/workspaces"),
      log: silentLog,
    });
    const { dirty } = await contentState(repository);
    repository.close();
    expect({ ran: await exists(ran), dirty }).toEqual({ ran: false, dirty: [] });
  });

  test("a path through a link that came before is refused", async () => {
    const link = entryOf({ name: "content/out", type: "symlink", linkname: folder.path });
    expect(await refusal(await forge([link, entryOf({ name: "content/out/evil" })]))).toEqual(
      damaged,
    );
    expect(await readdir(folder.path)).not.toContain("evil");
  });

  test("more than the head says is not unpacked", async () => {
    const more = entryOf({ name: "content/large" }, "x".repeat(1_000_000));
    expect(await refusal(await forge([more], (head) => ({ ...head, bytes: 1000 })))).toEqual(
      damaged,
    );
    const greedy = await forge([], (head) => ({ ...head, bytes: 10 ** 15 }));
    expect(await refusal(greedy)).toEqual({ ...damaged, error: "disk_full" });
  });

  test("keys that anybody could read are closed", async () => {
    const loose = entries.map((entry) => {
      const { header } = entry;
      return header.name.startsWith("data/keys")
        ? { ...entry, header: { ...header, mode: 0o777 } }
        : entry;
    });
    const forged = join(folder.path, "forged.tar.gz");
    await writeForged(forged, loose);
    expect(await restore(forged)).toMatchObject({ code: 0 });
    expect((await vitrine(["doctor"], { VITRINE_DIR: into })).stdout.toString()).not.toMatch(
      /settings\.key can be read/,
    );
    expect((await stat(join(into, "data/keys/settings.key"))).mode & 0o777).toBe(0o600);
  });

  test("a database that acts by itself is refused", async () => {
    const copy = join(folder.path, "acting.db");
    const at = entries.findIndex(({ header }) => header.name === "data/vitrine.db");
    await writeFile(copy, entries[at]?.data ?? "");
    const database = openDatabase({ url: null, file: copy });
    await sql`create trigger evil after insert on run begin delete from run; end`.execute(
      database.db,
    );
    await sql`pragma wal_checkpoint(truncate)`.execute(database.db);
    await database.close();
    const data = new Uint8Array(await readFile(copy));
    const header = { ...entries[at]?.header, name: "data/vitrine.db", size: data.length };
    const forged = join(folder.path, "forged.tar.gz");
    await writeForged(forged, entries.with(at, { header, data } as TarEntry));
    expect(await refusal(forged)).toEqual(damaged);
    await writeForged(forged, entries.with(at, withText(entries[at] as TarEntry, "no database")));
    expect(await refusal(forged)).toEqual(damaged);
  });
});

describe("what a backup is restored into", () => {
  test("a newer form and a newer schema are refused with a word", async () => {
    const newer = await forge([], (head) => ({ ...head, format: 2, more: true }));
    const { error } = await restore(newer);
    expect(error).toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("format 2"),
    });
    const schema = await forge([], (head) => ({
      ...head,
      migrations: [{ name: "999-tomorrow", appliedAt: "2030-01-01T00:00:00.000Z" }],
    }));
    const message = expect.stringMatching(/999-tomorrow.*Update Vitrine/);
    expect(await restore(schema)).toMatchObject({ error: { code: "unavailable", message } });
    expect(await exists(into)).toBe(false);
    const other = await forge([], (head) => ({ ...head, migrations: [] }));
    expect(await refusal(other)).toEqual(damaged);
  });

  test("an older schema is brought to this program's", async () => {
    const dir = join(folder.path, "older");
    await installSmall(dir);
    const paths = instancePaths(dir);
    const before = join(folder.path, "database");
    await cp(join(platformRoot, "packages/server/database"), before, { recursive: true });
    const all = (await readdir(join(before, "migrations"))).toSorted();
    const last = all.at(-1) ?? "";
    await rm(join(before, "migrations", last));
    await rm(paths.database);
    const database = openDatabase({ url: null, file: paths.database });
    await migrate({ database, now: 0, dir: before });
    await database.close();
    const older = join(folder.path, "older.tar.gz");
    expect(await vitrine(["backup", older], { VITRINE_DIR: dir })).toMatchObject({ code: 0 });
    const { code, data } = await restore(older);
    expect({ code, migrated: data["migrated"] }).toEqual({
      code: 0,
      migrated: [last.replace(/\.sql$/, "")],
    });
  });

  test("an instance, and a folder with something else in it, stay as they are", async () => {
    const dir = join(folder.path, "instance");
    const before = await filesBelow(dir);
    expect(await vitrine(["restore", file], { VITRINE_DIR: dir })).toMatchObject({
      code: 1,
      error: {
        code: "already_exists",
        message: expect.stringContaining("There is already an instance"),
      },
    });
    expect(await filesBelow(dir)).toEqual(before);
    const full = join(folder.path, "full");
    await mkdir(join(full, "content"), { recursive: true });
    expect(await vitrine(["restore", file, "--into", full])).toMatchObject({
      code: 1,
      error: { code: "already_exists", message: expect.stringContaining("it contains content") },
    });
    expect(await readdir(full)).toEqual(["content"]);
    const env = { DATABASE_URL: "postgres://nobody@127.0.0.1:1/none" };
    expect(await restore(file, env)).toMatchObject({ code: 1, error: { code: "unavailable" } });
    expect(await exists(into)).toBe(false);
  });

  test("two at once: one is refused", async () => {
    const pending = acquireLock(join(into, ".vitrine-restore/lock"));
    expect(await restore(file)).toMatchObject({ code: 1, error: { code: "locked" } });
    pending?.release();
    expect(await restore(file)).toMatchObject({ code: 0 });
  });

  test("an empty folder that is there is taken, and what a killed restore left goes", async () => {
    await mkdir(into, { recursive: true });
    expect(await restore(file)).toMatchObject({ code: 0 });
    const whole = await filesBelow(into);
    const inside = join(into, ".vitrine-restore");
    const tree = join(inside, "tree");
    const mark = { database: null, dump: null, answer: { dir: into, files: 7 } };
    /** Where a kill may have stopped it, by what is in place then. */
    for (const inPlace of [null, [], ["content"], ["content", "vitrine.json"]]) {
      await mkdir(tree, { recursive: true });
      for (const name of ["content", "vitrine.json", "data"]) {
        if (inPlace?.includes(name) !== true) await rename(join(into, name), join(tree, name));
      }
      if (inPlace !== null) await writeFile(join(inside, "mark.json"), JSON.stringify(mark));
      expect(await exists(join(into, "data/install.lock"))).toBe(false);
      expect(await restore(file)).toMatchObject({ code: 0 });
      expect(await filesBelow(into)).toEqual(whole);
    }
    await mkdir(tree, { recursive: true });
    await writeFile(join(inside, "mark.json"), JSON.stringify(mark));
    expect(await restore(file)).toMatchObject({ code: 0, data: { files: 7 } });
    expect(await filesBelow(into)).toEqual(whole);
    expect(await restore(file)).toMatchObject({ code: 1, error: { code: "already_exists" } });
  });
});
