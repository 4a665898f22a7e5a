import { once } from "node:events";
import {
  mkdir,
  readFile,
  readlink,
  realpath,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fakeClock } from "../../../../../test/support/clock.ts";
import { eventually } from "../../../../../test/support/eventually.ts";
import {
  handGit,
  openInstance,
  type TestInstance,
  writeFiles,
} from "../../../../../test/support/publish/publish-instance.ts";
import {
  exportSample,
  makeRecords,
  type SampleBuilder,
  sampleBuilder,
  sampleRebuilder,
  saveRecord,
  storeMedia,
} from "../../../../../test/support/publish/rebuilding.ts";
import { copyInstance } from "../../../../../test/support/publish/sample.ts";
import { tempFolder, type TempFolder } from "../../../../../test/support/temp.ts";
import { systemClock } from "../../kit/clock.ts";
import { AppError } from "../../kit/errors.ts";
import { exists } from "../../platform/files.ts";
import type { Db } from "../../platform/db/connect.ts";
import { contentState } from "../workspace/content-tree.ts";
import { createWorkspace, listWorkspaces } from "../workspace/workspace.ts";
import type { Manifest } from "./artifact/artifact.ts";
import { BuildFailed } from "./builder/build.ts";
import { rebuildFailure, requestRebuild } from "./rebuild-requests.ts";
import { makeRetryAfterPublish, openRebuildLock, type Rebuilder } from "./rebuild.ts";
import type { RebuildStep } from "./rebuild-site.ts";
import { claimPending, listRebuilds } from "./rebuild-store.ts";
import { makeMissingImages } from "./missing-images.ts";
import { listReleases, openPublishLock } from "./current-symlink.ts";

const home = "app/src/pages/index.astro";
const about = "app/src/pages/about.astro";

let folder: TempFolder;
let instance: TestInstance;
let db: Db;
let builder: SampleBuilder;
let rebuilder: Rebuilder;

beforeEach(async () => {
  folder = await tempFolder();
  await copyInstance(folder.path);
  instance = openInstance(folder.path);
  ({ db } = instance.database);
  await makeRecords(db);
  builder = sampleBuilder(instance.paths);
  rebuilder = sampleRebuilder(instance, builder);
});

afterEach(async () => {
  await rebuilder.close();
  await instance.close();
  await folder.remove();
});

const live = (file = "index.html") => readFile(join(instance.paths.current, file), "utf8");
const main = async () => (await instance.git("rev-parse", "main")).trim();
const committed = (path: string) => instance.git("show", `main:${path}`);
const lastChanges = async () =>
  (await instance.git("show", "--format=", "--name-status", "main")).trim().split("\n");

async function rebuild(): Promise<void> {
  expect(await rebuilder.runOnce()).toBe("done");
}

/** Publishes a run's change, made on the present head of `main` unless it has a workspace already. */
async function publishRun(runId: string, files: Record<string, string>) {
  const workspace = await instance.workspace(runId, files);
  return async () => {
    const snapshot = { site: {}, projects: [], changelog: [] };
    const mediaDir = join(instance.paths.content, "app/public/media");
    const build = (dir: string) =>
      builder.build({ sourceDir: dir, snapshot: snapshot as never, mediaDir });
    const request = await instance.request(workspace, {
      artifact: await build(workspace.dir),
      rebuild: (at) => build(at.dir),
    });
    return instance.publisher.publish(request);
  };
}

describe("a rebuild", () => {
  test("commits exactly the records and the media, with their trailers, and makes them live", async () => {
    await saveRecord(db, { name: "atlas", text: "A map" });
    await storeMedia(instance.paths, "b-two.webp", "picture two");
    await rebuild();

    expect(await lastChanges()).toEqual([
      "A\tapp/public/media/2026/b-two.webp",
      "M\tdatabase/projects.json",
    ]);
    const head = await main();
    const reply = await instance.git("log", "-1", "--format=%an|%s|%(trailers:only)", "main");
    expect(reply).toMatch(
      /^Ada\|Update records: atlas was saved\|Rebuild: rebuild-1-[0-9a-z]+\nActor: Ada\n/,
    );
    expect(await committed("database/projects.json")).toBe(await exportSample(db));
    expect(await committed("app/public/media/2026/b-two.webp")).toBe("picture two");
    expect(await live()).toContain("atlas: A map");
    expect(await live("media/2026/b-two.webp")).toBe("picture two");
    expect(await readFile(join(instance.paths.content, "database/projects.json"), "utf8")).toBe(
      await exportSample(db),
    );
    expect(await instance.git("status", "--porcelain", "--untracked-files=all")).toBe("");
    expect(await listWorkspaces(instance.repository)).toEqual([]);
    expect(await rebuilder.state()).toMatchObject({ state: "idle", error: null, release: 2 });
    expect(await listRebuilds(db, "done")).toMatchObject([{ commit_sha: head, release_number: 2 }]);
  });

  test("without a change makes no commit and no release", async () => {
    await saveRecord(db, { name: "atlas", text: "A map" });
    await rebuild();
    const before = [await main(), await readlink(instance.paths.current)];
    await rebuilder.request("rebuilt by hand");
    await rebuild();
    expect([await main(), await readlink(instance.paths.current)]).toEqual(before);
    expect(builder.builds).toBe(2);
  });

  test("of a draft commits it and makes no release: the site is as it was", async () => {
    await saveRecord(db, { name: "atlas", text: "A map" });
    await rebuild();
    await saveRecord(db, { name: "draft", text: "Not yet", published: false });
    await rebuild();
    expect(await lastChanges()).toEqual(["M\tdatabase/projects.json"]);
    expect(await listReleases(instance.paths)).toEqual([1, 2]);
    expect(await rebuilder.state()).toMatchObject({ state: "idle", release: 2 });
  });

  test("leaves the stored files as they are: same inode, same time, hard-linked to the release", async () => {
    await storeMedia(instance.paths, "b-two.webp", "picture two");
    const file = join(instance.paths.content, "app/public/media/2026/b-two.webp");
    const before = await stat(file, { bigint: true });
    await saveRecord(db, { name: "atlas", text: "A map" });
    await rebuild();
    const after = await stat(file, { bigint: true });
    const shown = await stat(join(instance.paths.current, "media/2026/b-two.webp"), {
      bigint: true,
    });
    expect([after.ino, after.mtimeNs]).toEqual([before.ino, before.mtimeNs]);
    expect(shown.ino).toBe(before.ino);
  });

  test("removes media that are gone from the disk, and passes over what is no stored file", async () => {
    const media = join(instance.paths.content, "app/public/media/2026");
    await storeMedia(instance.paths, "b-two.webp", "picture two");
    await writeFile(join(media, ".hidden"), "half");
    await writeFile(join(media, "c.webp.tmp"), "half");
    await symlink("/etc/passwd", join(media, "d.webp"));
    await mkdir(join(media, "empty"));
    await rebuilder.request("a picture was stored");
    await rebuild();
    const listed = await instance.git("ls-tree", "-r", "--name-only", "main", "app/public/media");
    expect(listed.trim().split("\n")).toEqual([
      "app/public/media/2026/a.jpg",
      "app/public/media/2026/b-two.webp",
    ]);
    await rm(join(media, "b-two.webp"));
    await rebuilder.request("a picture was deleted");
    await rebuild();
    expect(await lastChanges()).toEqual(["D\tapp/public/media/2026/b-two.webp"]);
    expect(await exists(join(instance.paths.current, "media/2026/b-two.webp"))).toBe(false);
    expect(await instance.git("status", "--porcelain")).toBe("");
  });

  test("a file stored again while its removal is being committed stays", async () => {
    const file = join(instance.paths.content, "app/public/media/2026/a.jpg");
    await rm(file);
    builder.during = () => writeFile(file, "not a picture");
    await rebuilder.request("a picture was deleted");
    await rebuild();
    expect(await readFile(file, "utf8")).toBe("not a picture");
    builder.during = async () => {};
    await rebuilder.request("a picture was stored");
    await rebuild();
    expect(await committed("app/public/media/2026/a.jpg")).toBe("not a picture");
  });

  test("refuses to commit the loss of all media when their folder is missing", async () => {
    await rm(join(instance.paths.content, "app/public/media"), { recursive: true });
    await rebuilder.request("rebuilt by hand");
    expect(await rebuilder.runOnce()).toBe("failed");
    expect(await rebuilder.state()).toMatchObject({
      error: expect.stringContaining("content/app/public/media is missing"),
    });
    expect(await committed("app/public/media/2026/a.jpg")).toBe("not a picture");
  });

  test("is done when it is live, whatever becomes of its workspace, which goes later", async () => {
    const { repository } = instance;
    let busy = false;
    const lock: typeof repository.lock = {
      ...repository.lock,
      run: (task, options) => {
        if (busy) return Promise.reject(new AppError("locked", "Another process is at work here."));
        return repository.lock.run(task, options);
      },
    };
    const onStep = (name: string) => {
      if (name === "live") busy = true;
    };
    const other = sampleRebuilder(instance, builder, {
      repository: { ...repository, lock },
      onStep,
    });
    await saveRecord(db, { name: "atlas", text: "A map" });
    expect(await other.runOnce()).toBe("done");
    expect(await live()).toContain("A map");
    expect(await other.state()).toMatchObject({ state: "idle", error: null, release: 2 });
    expect(await listWorkspaces(repository)).toHaveLength(1);
    busy = false;
    expect(await other.runOnce()).toBe("idle");
    expect(await listWorkspaces(repository)).toEqual([]);
    await other.close();
  });

  test("that fails keeps the last good release and says why until one succeeds", async () => {
    await saveRecord(db, { name: "atlas", text: "A map" });
    await rebuild();
    const before = [await main(), await live()];
    await saveRecord(db, { name: "atlas", text: "BROKEN" });
    expect(await rebuilder.runOnce()).toBe("failed");
    expect([await main(), await live()]).toEqual(before);
    expect(await rebuilder.state()).toEqual({
      state: "failed",
      reason: "atlas was saved",
      requestedAt: expect.any(String),
      finishedAt: expect.any(String),
      error: expect.stringContaining("index.astro:1:1 BROKEN is no tag."),
      privateTexts: null,
      release: 2,
    });
    expect(await rebuildFailure(db)).toBe("The site can't be built");
    expect(await listWorkspaces(instance.repository)).toEqual([]);

    await saveRecord(db, { name: "atlas", text: "A better map" });
    expect(await rebuilder.state()).toMatchObject({
      state: "pending",
      error: expect.stringContaining("BROKEN"),
    });
    await rebuild();
    expect(await rebuilder.state()).toMatchObject({ state: "idle", error: null, release: 3 });
    expect(await rebuildFailure(db)).toBeNull();
    expect(await live()).toContain("A better map");
  });

  test("that runs out of memory says which setting helps, and doesn't blame the record", async () => {
    builder.during = async () => {
      throw new BuildFailed(["The build used too much memory."], "", { isOverMemory: true });
    };
    await saveRecord(db, { name: "atlas", text: "A map" });
    expect(await rebuilder.runOnce()).toBe("failed");
    const { error } = await rebuilder.state();
    expect(error).toContain("The build used too much memory. Raise limits.build.memoryMiB");
    expect(error).not.toContain("undo the change");
  });

  test("builds main and not the files edited by hand, and leaves those as they are", async () => {
    const { paths, repository } = instance;
    await writeFiles(paths.content, { [home]: "<h1>By hand</h1>\n", "brand/new.md": "By hand\n" });
    await handGit(paths.content, ["add", "brand/new.md"]);
    await saveRecord(db, { name: "atlas", text: "A map" });
    await rebuild();
    expect(await live()).toBe("<h1>Home 0</h1>\n<p>atlas: A map</p>\n");
    expect(await readFile(join(paths.content, home), "utf8")).toBe("<h1>By hand</h1>\n");
    expect((await contentState(repository)).dirty.toSorted()).toEqual([home, "brand/new.md"]);
    expect(await instance.git("status", "--porcelain")).toBe(` M ${home}\nA  brand/new.md\n`);
  });

  test("a projects.json edited by hand stays, and git shows it", async () => {
    const file = join(instance.paths.content, "database/projects.json");
    await writeFile(file, "[1]\n");
    await saveRecord(db, { name: "atlas", text: "A map" });
    await rebuild();
    expect(await readFile(file, "utf8")).toBe("[1]\n");
    expect(await committed("database/projects.json")).toBe(await exportSample(db));
    expect(await instance.git("status", "--porcelain")).toBe(" M database/projects.json\n");
  });
});

describe("a rebuild and a run", () => {
  test("both arrive when the run was open meanwhile and is published afterwards", async () => {
    const publish = await publishRun("RUN1", { [about]: "<h1>About us</h1>\n" });
    await saveRecord(db, { name: "atlas", text: "A map" });
    await rebuild();
    expect((await publish()).rebuilt).toBe(true);
    expect(await live("about/index.html")).toBe("<h1>About us</h1>\n");
    expect(await committed("database/projects.json")).toBe(await exportSample(db));
    expect(await instance.git("status", "--porcelain")).toBe("");
  });

  test.each([true, false])(
    "both arrive when the run is published during the build (records changed: %s)",
    async (changed) => {
      await saveRecord(db, { name: "atlas", text: "A map" });
      await rebuild();
      const publish = await publishRun("RUN1", { [about]: "<h1>About us</h1>\n" });
      let published = false;
      builder.during = async () => {
        if (published) return;
        published = true;
        await publish();
      };
      if (changed) await saveRecord(db, { name: "atlas", text: "A better map" });
      else await rebuilder.request("rebuilt by hand");
      await rebuild();
      expect(published).toBe(true);
      expect(await live("about/index.html")).toBe("<h1>About us</h1>\n");
      expect(await live()).toContain(changed ? "A better map" : "A map");
      expect(await committed(about)).toBe("<h1>About us</h1>\n");
      expect(await committed("database/projects.json")).toBe(await exportSample(db));
      expect(await instance.git("status", "--porcelain")).toBe("");
      expect(await listWorkspaces(instance.repository)).toEqual(["RUN1"]);
    },
  );

  test("waits while another process publishes", async () => {
    const lock = openPublishLock(instance.paths);
    const { promise, resolve } = Promise.withResolvers<void>();
    const pending = lock.run(() => promise);
    await saveRecord(db, { name: "atlas", text: "A map" });
    const done = rebuilder.runOnce();
    await eventually(() => expect(builder.builds).toBe(1));
    resolve();
    await pending;
    expect(await done).toBe("done");
    lock.close();
    expect(await live()).toContain("A map");
  });

  test("begins anew on what somebody has committed by hand in the records' place", async () => {
    await saveRecord(db, { name: "atlas", text: "A map" });
    let edited = false;
    builder.during = async () => {
      if (edited) return;
      edited = true;
      await writeFiles(instance.paths.content, { "database/projects.json": "[1, 2]\n" });
      await instance.git("commit", "-qam", "By hand");
    };
    await rebuild();
    expect(await committed("database/projects.json")).toBe(await exportSample(db));
    expect(await instance.git("status", "--porcelain")).toBe("");
    expect(await live()).toContain("A map");
  });

  test("that failed is tried again once a run was published", async () => {
    await saveRecord(db, { name: "atlas", text: "A map" });
    await writeFiles(instance.paths.content, { [home]: "BROKEN\n" });
    await instance.git("commit", "-qam", "By hand");
    expect(await rebuilder.runOnce()).toBe("failed");
    const publish = await publishRun("RUN1", { [home]: "<h1>Whole</h1>\n" });
    await publish();
    await rebuilder.close();
    rebuilder = sampleRebuilder(instance, builder, { pollMs: 5 });
    rebuilder.start();
    await eventually(async () =>
      expect(await rebuilder.state()).toMatchObject({ state: "idle", error: null }),
    );
    expect(await committed("database/projects.json")).toBe(await exportSample(db));
    expect(await live()).toBe("<h1>Whole</h1>\n<p>atlas: A map</p>\n");
  });
});

test("a failed rebuild is retried once for a publish whose clock was ahead", async () => {
  const { database } = instance;
  const publish = await publishRun("RUN1", { [home]: "<h1>Whole</h1>\n" });
  await publish();
  await sql`update publish_intent set finished_at = '2999-01-01T00:00:00.000Z'`.execute(
    database.db,
  );
  await saveRecord(db, { name: "atlas", text: "A map" });
  await writeFiles(instance.paths.content, { [home]: "BROKEN\n" });
  await instance.git("commit", "-qam", "By hand");
  const retry = makeRetryAfterPublish({ db: database.db, clock: systemClock });
  expect(await rebuilder.runOnce()).toBe("failed");
  await retry();
  expect(await rebuilder.runOnce()).toBe("failed");
  await retry();
  expect(await listRebuilds(database.db, "pending")).toEqual([]);
});

describe("waiting", () => {
  test("whose end can't be written down is live, has not failed, and is not built again", async () => {
    await saveRecord(db, { name: "boat", text: "red" });
    await sql`create trigger full_disk before update on rebuild_request
      when new.status = 'done' begin select raise(abort, 'full'); end`.execute(db);
    await expect(rebuilder.runOnce()).rejects.toThrow("full");
    expect(await live()).toContain("boat: red");
    expect(await rebuilder.state()).toMatchObject({ state: "building", error: null });
    await sql`drop trigger full_disk`.execute(db);
    rebuilder.start();
    await eventually(async () => {
      expect(await rebuilder.state()).toMatchObject({ state: "idle", error: null });
    });
    expect(builder.builds).toBe(1);
  });

  test("a single save goes live at once; of several, when nothing more comes, or the first has waited long enough", async () => {
    const clock = fakeClock();
    await rebuilder.close();
    rebuilder = sampleRebuilder(instance, builder, {
      clock,
      debounceMs: 800,
      maxWaitMs: 5000,
    });
    const save = (text: string) => saveRecord(db, { name: "atlas", text }, clock.now());
    expect(await rebuilder.runOnce()).toBe("idle");
    await save("0");
    clock.advance(99);
    expect(await rebuilder.runOnce()).toBe("waiting");
    clock.advance(1);
    expect(await rebuilder.runOnce()).toBe("done");
    // So soon after a rebuild, more may come.
    await save("1");
    clock.advance(799);
    expect(await rebuilder.runOnce()).toBe("waiting");
    await save("2");
    clock.advance(799);
    expect(await rebuilder.runOnce()).toBe("waiting");
    clock.advance(1);
    expect(await rebuilder.runOnce()).toBe("done");
    expect(builder.builds).toBe(2);
    for (let waited = 0; waited < 4900; waited += 700) {
      await save(String(waited));
      clock.advance(700);
      expect(await rebuilder.runOnce()).toBe("waiting");
    }
    await save("last");
    clock.advance(100);
    expect(await rebuilder.runOnce()).toBe("done");
    expect(await live()).toContain("atlas: last");
  });

  test("a clock that was set back doesn't hold a request up", async () => {
    const clock = fakeClock();
    await rebuilder.close();
    rebuilder = sampleRebuilder(instance, builder, { clock, debounceMs: 800 });
    await saveRecord(db, { name: "atlas", text: "A map" }, clock.now());
    clock.setWall(clock.now() - 3_600_000);
    expect(await rebuilder.runOnce()).toBe("done");
  });

  test("a record changed while the site is built is built again", async () => {
    await saveRecord(db, { name: "atlas", text: "1" });
    let saved = false;
    builder.during = async () => {
      if (saved) return;
      saved = true;
      await saveRecord(db, { name: "atlas", text: "2" });
      expect(await rebuilder.state()).toMatchObject({ state: "building" });
    };
    await rebuild();
    expect(await rebuilder.state()).toMatchObject({ state: "pending" });
    expect(await live()).toContain("atlas: 1");
    await rebuild();
    expect(await live()).toContain("atlas: 2");
    expect(await rebuilder.runOnce()).toBe("idle");
  });

  test("the loop finds what another process asks for", async () => {
    await rebuilder.close();
    rebuilder = sampleRebuilder(instance, builder, { pollMs: 5 });
    rebuilder.start();
    const other = openInstance(folder.path);
    await saveRecord(other.database.db, { name: "atlas", text: "A map" });
    await eventually(async () => expect(await live()).toContain("A map"));
    await other.close();
  });

  describe("of missing share images", () => {
    const lacks = async (file: string) =>
      (JSON.parse(await readFile(`${await realpath(file)}.json`, "utf8")) as Manifest)
        .lacksShareImages;
    const start = () => {
      rebuilder = sampleRebuilder(instance, builder, { pollMs: 5, quietMs: 0 });
      rebuilder.start();
    };

    test("is made in quiet time, until every page has its image", async () => {
      await saveRecord(db, { name: "atlas", text: "A map" });
      builder.images = ["1", "2", "3", "4", "5", "6"];
      await rebuild();
      expect(await lacks(instance.paths.current)).toBe(true);
      await rebuilder.close();
      start();
      await eventually(async () => expect(await lacks(instance.paths.current)).toBeUndefined());
      await eventually(async () =>
        expect(await listRebuilds(db, "done")).toMatchObject([
          { reason: "atlas was saved" },
          { reason: "missing share images" },
        ]),
      );
      expect(builder.builds).toBe(2);
    });

    test("is not made again and again where it brings none", async () => {
      await saveRecord(db, { name: "atlas", text: "A map" });
      builder.images = ["1", "2", "3", "4"];
      await rebuild();
      const { paths } = instance;
      const request = makeMissingImages({ db, paths, clock: systemClock, quietMs: 0 });
      // Each build has other images: their number doesn't grow.
      builder.images = ["5", "6", "7", "8"];
      builder.maxImages = 4;
      await request();
      await rebuild();
      expect(await lacks(paths.current)).toBe(true);
      await request();
      expect(await rebuilder.runOnce()).toBe("idle");
      builder.images = ["5", "6", "7", "8", "9", "10", "11", "12"];
      await saveRecord(db, { name: "atlas", text: "Another map" });
      await rebuild();
      await request();
      expect(await listRebuilds(db, "pending")).toMatchObject([{ reason: "missing share images" }]);
    });

    test("gives way to a save", async () => {
      await saveRecord(db, { name: "atlas", text: "A map" });
      builder.images = ["1", "2", "3", "4", "5", "6"];
      await rebuild();
      const { promise, resolve } = Promise.withResolvers<void>();
      builder.during = () => (builder.builds === 2 ? promise : Promise.resolve());
      await rebuilder.close();
      start();
      await eventually(() => expect(builder.builds).toBe(2));
      await saveRecord(db, { name: "atlas", text: "A better map" });
      await eventually(() => expect(builder.signal?.aborted).toBe(true));
      resolve();
      await eventually(async () => expect(await live()).toContain("A better map"));
    });
  });

  test("two processes never rebuild at once", async () => {
    const other = openInstance(folder.path);
    const second = sampleRebuilder(other, builder);
    await saveRecord(db, { name: "atlas", text: "A map" });
    const { promise, resolve } = Promise.withResolvers<void>();
    builder.during = () => promise;
    const first = rebuilder.runOnce();
    await eventually(() => expect(builder.builds).toBe(1));
    await saveRecord(db, { name: "atlas", text: "A better map" });
    expect(await second.runOnce()).toBe("waiting");
    await second.recover();
    expect(await listRebuilds(db, "building")).toHaveLength(1);
    resolve();
    expect(await first).toBe("done");
    expect(await second.runOnce()).toBe("done");
    await second.close();
    await other.close();
  });
});

describe("an end of the process", () => {
  const steps: RebuildStep[] = ["claimed", "workspace", "records", "built", "live", "ended"];

  test.each(steps)("after %s: at boot all is settled and nothing is left", async (stop) => {
    const { promise: never } = Promise.withResolvers<void>();
    const reached = new EventTarget();
    const dying = sampleRebuilder(instance, builder, {
      onStep: async (step) => {
        if (step !== stop) return;
        reached.dispatchEvent(new Event("stop"));
        await never;
      },
      // A lock of its own: the one of a dead process is free.
      paths: { ...instance.paths, data: join(folder.path, "dead") },
    });
    await saveRecord(db, { name: "atlas", text: "A map" });
    const stopped = once(reached, "stop");
    void dying.runOnce();
    await stopped;
    await instance.publisher.recover();
    await rebuilder.recover();
    expect(await listRebuilds(db, "building")).toEqual([]);
    expect(await listWorkspaces(instance.repository)).toEqual([]);
    const finished = stop === "live" || stop === "ended";
    expect(await rebuilder.runOnce()).toBe(finished ? "idle" : "done");
    expect(await listRebuilds(db, "done")).toMatchObject([{ commit_sha: await main() }]);
    expect(await live()).toContain("A map");
    expect(await instance.git("rev-list", "--count", "main")).toBe("2\n");
  });

  test("abuse 237: what a killed node has left is removed when another one has built", async () => {
    const lock = openRebuildLock(instance.paths);
    const { promise: built, resolve } = Promise.withResolvers<void>();
    const other = lock.run(() => built);
    await createWorkspace(instance.repository, "rebuild-1-killed");
    await rebuilder.recover();
    expect(await listWorkspaces(instance.repository)).toEqual(["rebuild-1-killed"]);
    resolve();
    await other;
    lock.close();
    rebuilder.start();
    await eventually(async () => expect(await listWorkspaces(instance.repository)).toEqual([]));
  });

  test("a shutdown gives the build up, and it is pending again", async () => {
    await saveRecord(db, { name: "atlas", text: "A map" });
    const { promise, resolve } = Promise.withResolvers<void>();
    builder.during = () => promise;
    const result = rebuilder.runOnce();
    await eventually(() => expect(builder.builds).toBe(1));
    const closed = rebuilder.close();
    resolve();
    expect(await result).toBe("idle");
    await closed;
    expect(await listRebuilds(db, "pending")).toMatchObject([{ reason: "atlas was saved" }]);
    expect(await listRebuilds(db, "failed")).toEqual([]);
    rebuilder = sampleRebuilder(instance, builder);
    await rebuild();
  });

  test("what was asked for meanwhile and what was being built become one request", async () => {
    await requestRebuild(db, { reason: "a", now: 1000 });
    await claimPending(db, "2026-01-01T00:00:00.000Z");
    await requestRebuild(db, { reason: "b", now: 9000 });
    await rebuilder.recover();
    expect(await listRebuilds(db, "pending")).toMatchObject([
      {
        reason: "several changes",
        requested_at: "1970-01-01T00:00:01.000Z",
        last_requested_at: "1970-01-01T00:00:09.000Z",
        started_at: null,
      },
    ]);
    expect(await listRebuilds(db, "building")).toEqual([]);
  });
});
