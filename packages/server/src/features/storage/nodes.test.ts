import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { eventually } from "../../../../../test/support/eventually.ts";
import { freePorts } from "../../../../../test/support/instance.ts";
import { type DatabaseMaker, startDialect } from "../../../../../test/support/postgres.ts";
import {
  openInstance,
  silentLog,
  type TestInstance,
} from "../../../../../test/support/publish/publish-instance.ts";
import { copyInstance } from "../../../../../test/support/publish/sample.ts";
import {
  type S3Server,
  startS3Server,
} from "../../../../../test/support/publish-targets/s3-server.ts";
import { tempFolder, type TempFolder } from "../../../../../test/support/temp.ts";
import { AppError } from "../../kit/errors.ts";
import { systemClock } from "../../kit/clock.ts";
import { defaultLimits } from "../../platform/config.ts";
import { type Database, openDatabase } from "../../platform/db/connect.ts";
import { migrate } from "../../platform/db/migrate.ts";
import { instancePaths } from "../../platform/paths.ts";
import { liveRelease, openPublishLock, releasePath } from "../release/current-symlink.ts";
import type { PublishStep } from "../release/finalize.ts";
import { tagFileOf } from "../release/source-tags/tag-file.ts";
import { findIntent } from "../release/store.ts";
import { createRepository } from "../workspace/init.ts";
import { makeFollower } from "./follow.ts";
import { makeFollowedReleases } from "./followed-releases.ts";
import { becomeFirstNode, storeEverything } from "./first-node.ts";
import { leaveStorage } from "./leave-storage.ts";
import { openSharedStorage, type SharedStorage } from "./shared-storage.ts";
import { forgetEverything, isShared } from "./store.ts";

const home = "app/src/pages/index.astro";

interface Node extends TestInstance {
  shared: SharedStorage;
  /** Ends its connections to the database, as a node that is cut off loses them. */
  cutOff(): Promise<void>;
  /** Brings it up to date. */
  follow(): Promise<void>;
}

let maker: DatabaseMaker;
let server: S3Server;
let folder: TempFolder;
let database: Database;
let address: string;
let nodes: Node[];

beforeAll(async () => {
  maker = await startDialect("postgres");
  server = await startS3Server();
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  await maker?.close();
});
beforeEach(async () => {
  folder = await tempFolder();
  const made = await maker.make();
  ({ database } = made);
  address = made.address.url ?? "";
  await migrate({ database, now: 0 });
  nodes = [];
});
afterEach(async () => {
  for (const node of nodes) {
    await node.close();
    await node.shared.close();
  }
  await folder.remove();
});

/** Opens a node; `onStep` is called in its publishes. */
async function openNode(
  name: string,
  onStep?: (step: PublishStep) => void | Promise<void>,
  { endpoint }: { endpoint: string } = server,
) {
  const dir = join(folder.path, name);
  const paths = instancePaths(dir);
  await mkdir(dir, { recursive: true });
  const url = `${address}${address.includes("?") ? "&" : "?"}application_name=${name}`;
  const own = openDatabase({ url, file: "" });
  const { bucket, accessKeyId, secretAccessKey } = server;
  const location = { endpoint, bucket, region: "x", isPathStyle: true };
  const storage = { ...location, prefix: folder.path.slice(1), accessKeyId, secretAccessKey };
  const shared = openSharedStorage({ storage, paths, limits: defaultLimits }, own.db);
  if (shared === null) throw new Error("No storage.");
  const local = openPublishLock(paths);
  const lock = shared.lock("publish", local);
  const instance = openInstance(
    dir,
    { shared: shared.releases, lock, waitMs: 30_000, ...(onStep && { onStep }) },
    { database: own, remote: shared.content },
  );
  const node: Node = {
    ...instance,
    shared,
    async cutOff() {
      await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = ${name}`.execute(
        database.db,
      );
    },
    async follow() {
      await shared.content.sync(instance.repository);
      await lock.run(() => shared.releases.follow());
    },
  };
  nodes.push(node);
  return node;
}

/** What moves an instance to and from its object store. */
function partsOf({ shared, repository, paths, database: { db } }: Node) {
  const listArtifacts = async () => [];
  return { db, shared, repository, paths, clock: systemClock, log: silentLog, listArtifacts };
}

/** Two nodes of an instance. */
async function openNodes(onStep: (step: PublishStep) => void | Promise<void>) {
  await copyInstance(join(folder.path, "one"));
  const one = await openNode("one", onStep);
  await becomeFirstNode(partsOf(one));
  const two = await openNode("two");
  await createRepository(two.repository);
  await two.follow();
  return { one, two };
}

async function publish(node: Node, runId: string) {
  const workspace = await node.workspace(runId, { [home]: `<h1>By ${runId}</h1>\n` });
  return node.publisher.publish(await node.request(workspace));
}

const liveHome = ({ paths }: Node) => readFile(join(paths.current, "index.html"), "utf8");

/** What everybody sees of a node. */
async function stateOf(node: Node) {
  return {
    main: await node.git("rev-parse", "main"),
    live: await liveRelease(node.paths),
    home: await liveHome(node),
    source: await readFile(join(node.paths.content, home), "utf8"),
    status: await node.git("status", "--porcelain"),
  };
}

/** How many commits of `main` a run has. */
async function commitsOf({ git }: Node, runId: string): Promise<number> {
  const text = await git("log", "--format=%(trailers:key=Run,valueonly)", "main");
  return text.split("\n").filter((line) => line === runId).length;
}

test("a publish of one node is live on the other, with its files and its commit", async () => {
  const { one, two } = await openNodes(() => {});
  await publish(one, "RUN1");
  await two.follow();
  expect(await stateOf(two)).toEqual(await stateOf(one));
  expect(await liveHome(two)).toBe("<h1>By RUN1</h1>\n");
  await publish(two, "RUN2");
  await one.follow();
  expect(await stateOf(one)).toEqual(await stateOf(two));
  expect((await liveRelease(one.paths))?.release).toBe(3);
});

test("publishes of two nodes at once are both live in the end, one after the other", async () => {
  const { one, two } = await openNodes(() => {});
  const other = "app/src/pages/about.astro";
  const first = await one.workspace("RUN1", { [home]: "<h1>By RUN1</h1>\n" });
  const second = await two.workspace("RUN2", { [other]: "<h1>By RUN2</h1>\n" });
  await Promise.all([
    one.publisher.publish(await one.request(first)),
    two.publisher.publish(await two.request(second)),
  ]);
  await one.follow();
  await two.follow();
  expect(await stateOf(one)).toEqual(await stateOf(two));
  expect(await readFile(join(one.paths.current, "about/index.html"), "utf8")).toBe(
    "<h1>By RUN1</h1>\n<h1>By RUN2</h1>\n",
  );
});

test("a publish is done when the other nodes serve it", async () => {
  const { one, two } = await openNodes(() => {});
  const { shared, paths, database: own } = two;
  const onLooked = async () => shared.followed.put((await liveRelease(paths))?.release ?? 0);
  const lock = openPublishLock(paths);
  const parts = { db: own.db, shared, databaseUrl: address, log: silentLog, lock, onLooked };
  const follower = makeFollower({ ...parts, repository: null, pollMs: 20 });
  await follower.start();
  await publish(one, "RUN1");
  expect(await liveHome(two)).toBe("<h1>By RUN1</h1>\n");
  await follower.close();
});

test("a publish that waits for a node lets others publish, and doesn't wait for a node that stops", async () => {
  const { one, two } = await openNodes(() => {});
  const behind = makeFollowedReleases({ db: database.db, dir: "/behind" });
  await behind.put(1);
  let isDone = false;
  const publishing = publish(one, "RUN1").finally(() => {
    isDone = true;
  });
  await eventually(async () => {
    // Takes the lock that publishes take.
    await two.follow();
    expect(await liveHome(two)).toBe("<h1>By RUN1</h1>\n");
  });
  expect(isDone).toBe(false);
  await behind.remove();
  await publishing;
});

/** Stores an image at a node as an upload does. */
async function store({ paths, shared }: Node, name: string, text: string): Promise<string> {
  const path = join(paths.content, "app/public/media/2026", name);
  const from = `${path}.part`;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(from, text);
  await shared.files.put([{ path, from }]);
  await rename(from, path);
  return path;
}

test("what was stored before the first node shares it is brought up to date, not back", async () => {
  await copyInstance(join(folder.path, "one"));
  const one = await openNode("one");
  const old = await store(one, "old.jpg", "old");
  const kept = await store(one, "kept.jpg", "kept");
  await storeEverything(partsOf(one));
  await rm(old);
  const later = { ...systemClock, now: () => Date.now() + 120_000 };
  await becomeFirstNode({ ...partsOf(one), clock: later });
  const two = await openNode("two");
  await createRepository(two.repository);
  await two.follow();
  expect(await readdir(join(two.paths.content, "app/public/media/2026"))).toEqual(
    (await readdir(dirname(kept))).toSorted(),
  );
  expect(await readdir(dirname(kept))).not.toContain("old.jpg");
});

test("a node that is killed once main has moved has its files when another one has completed the publish", async () => {
  const { one, two } = await openNodes((step) => {
    if (step !== "moved") return;
    one.repository.git = () => Promise.reject(new Error("killed"));
  });
  const { git } = one.repository;
  await expect(publish(one, "RUN1")).rejects.toThrow("killed");
  one.repository.git = git;
  await two.publisher.recover();
  await expectSame(one, two);
  expect(await stateOf(one)).toMatchObject({ home: "<h1>By RUN1</h1>\n", status: "" });
});

test("content/ follows other nodes only while nothing on this one publishes or backs up", async () => {
  const { one, two } = await openNodes(() => {});
  const { shared, repository, paths, database: own } = two;
  const [lock, busy] = [openPublishLock(paths), openPublishLock(paths)];
  const parts = { db: own.db, shared, databaseUrl: address, log: silentLog, lock, pollMs: 20 };
  const follower = makeFollower({ ...parts, repository });
  await follower.start();
  const head = await two.git("rev-parse", "main");
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const working = busy.run(() => ended);
  await publish(one, "RUN1");
  // Files arrive, so it has looked.
  const path = (await store(one, "later.jpg", "later")).replace(one.paths.dir, paths.dir);
  await eventually(async () => expect(await readFile(path, "utf8")).toBe("later"));
  expect(await two.git("rev-parse", "main")).toBe(head);
  end();
  await working;
  await eventually(async () => expect(await stateOf(two)).toEqual(await stateOf(one)));
  await follower.close();
  busy.close();
});

test("releases of other nodes go live on a node whose content/ can't follow them", async () => {
  const { one, two } = await openNodes(() => {});
  const { shared, repository, paths, database: own } = two;
  await writeFile(join(paths.content, home), "<h1>By hand</h1>\n");
  const author = { name: "A", email: "a@example.com", at: 0 };
  await repository.git(["commit", "--all", "--quiet", "-m", "By hand"], { author });
  const head = await two.git("rev-parse", "main");
  await publish(one, "RUN1");
  const lock = openPublishLock(paths);
  const parts = { db: own.db, shared, databaseUrl: address, log: silentLog, lock };
  const follower = makeFollower({ ...parts, repository });
  await follower.start();
  await follower.close();
  expect(await liveHome(two)).toBe("<h1>By RUN1</h1>\n");
  expect(await two.git("rev-parse", "main")).toBe(head);
});

test("an instance without builds, as one that was restored, stores its live release without copying it", async () => {
  await copyInstance(join(folder.path, "one"));
  const one = await openNode("one");
  await rm(one.paths.artifacts, { recursive: true });
  const { release, sha } = (await liveRelease(one.paths)) ?? { release: 0, sha: "" };
  const [from, artifact] = [releasePath(one.paths, release), join(one.paths.artifacts, sha)];
  await writeFile(tagFileOf(from), "tags");
  await becomeFirstNode(partsOf(one));
  const inodeOf = async (path: string) => (await stat(path)).ino;
  expect(await inodeOf(join(artifact, "index.html"))).toBe(await inodeOf(join(from, "index.html")));
  expect(await readFile(tagFileOf(artifact), "utf8")).toBe("tags");
  const two = await openNode("two");
  await createRepository(two.repository);
  await two.follow();
  expect(await stateOf(two)).toEqual(await stateOf(one));
});

const isAlone = async () => {};

test("an instance comes back to one folder complete, and then shares nothing", async () => {
  const { one, two } = await openNodes(() => {});
  await publish(two, "RUN1");
  await store(two, "two.jpg", "of two");
  const damaged = await store(one, "one.jpg", "of one");
  await writeFile(damaged, "of eno");
  await expect(leaveStorage(partsOf(one), isAlone)).rejects.toMatchObject({
    code: "unavailable",
    details: { files: ["content/app/public/media/2026/one.jpg"] },
  });
  expect(await isShared(database.db)).toBe(true);
  await rm(damaged);
  // A file that is gone comes back with the next change.
  await store(two, "three.jpg", "three");
  // Another node may be started while everything is collected.
  const isHereBefore: string[] = [];
  const refuse = async () => {
    isHereBefore.push(await readFile(damaged, "utf8"));
    throw new AppError("in_use", "Another node is running.");
  };
  await expect(leaveStorage(partsOf(one), refuse)).rejects.toMatchObject({ code: "in_use" });
  expect([isHereBefore, await isShared(database.db)]).toEqual([["of one"], true]);
  expect(await leaveStorage(partsOf(one), isAlone)).toMatchObject({ release: 2 });
  expect(await isShared(database.db)).toBe(false);
  expect(await readFile(damaged, "utf8")).toBe("of one");
  expect(await readFile(damaged.replace("one.jpg", "two.jpg"), "utf8")).toBe("of two");
  expect(await liveHome(one)).toBe("<h1>By RUN1</h1>\n");
  await expect(leaveStorage(partsOf(one), isAlone)).rejects.toMatchObject({
    code: "invalid_state",
  });
  // It can be shared again.
  await becomeFirstNode(partsOf(one));
  await two.follow();
  expect(await stateOf(two)).toEqual(await stateOf(one));
});

test("an instance leaves the object store only when no acknowledged upload would be lost", async () => {
  const { one } = await openNodes(() => {});
  await sql`insert into stored_upload (id, size, received, original_name, alt, created_at)
    values ('complete', 4, 4, 'a.png', '', '2026-01-01'), ('begun', 4, 2, 'b.png', '', '2026-01-01')`.execute(
    database.db,
  );
  await expect(leaveStorage(partsOf(one), isAlone)).rejects.toMatchObject({
    code: "invalid_state",
  });
  // One may also become complete while everything else is compared.
  await expect(forgetEverything(database.db, "1")).rejects.toMatchObject({
    code: "invalid_state",
  });
  const uploads = sql<{ id: string }>`select id from stored_upload order by id`;
  expect((await uploads.execute(database.db)).rows).toHaveLength(2);
  expect(await one.shared.hasEnded()).toBe(false);
  await sql`update stored_upload set ended_at = '2026-01-01' where id = 'complete'`.execute(
    database.db,
  );
  await leaveStorage(partsOf(one), isAlone);
  expect((await uploads.execute(database.db)).rows).toEqual([]);
  expect(await one.shared.hasEnded()).toBe(true);
  await becomeFirstNode(partsOf(one));
  expect(await one.shared.hasEnded()).toBe(false);
});

test("a node that can't reach the object store starts with what it has", async () => {
  const { one, two } = await openNodes(() => {});
  await two.close();
  await two.shared.close();
  await publish(one, "RUN1");
  const [away] = await freePorts(1);
  const alone = await openNode("two", undefined, { endpoint: `http://127.0.0.1:${away}` });
  const { shared, repository, paths, database: own } = alone;
  const lock = openPublishLock(paths);
  const parts = { db: own.db, shared, databaseUrl: address, log: silentLog, lock };
  const follower = makeFollower({ ...parts, repository });
  await follower.start();
  await follower.close();
  expect(await liveHome(alone)).toBe("<h1>Home 0</h1>\n");
  nodes.splice(nodes.indexOf(two), 1);
});

test("abuse 237: files of another node arrive while a publish waits for its turn", async () => {
  const { one, two } = await openNodes(() => {});
  const { shared, repository, paths, database: own } = two;
  const [lock, busy] = [openPublishLock(paths), openPublishLock(paths)];
  const parts = { db: own.db, shared, databaseUrl: address, log: silentLog, lock, pollMs: 20 };
  const follower = makeFollower({ ...parts, repository });
  await follower.start();
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const publishing = busy.run(() => ended);
  for (const name of ["first.jpg", "second.jpg", "third.jpg"]) {
    const path = (await store(one, name, name)).replace(one.paths.dir, paths.dir);
    await eventually(async () => expect(await readFile(path, "utf8")).toBe(name));
  }
  end();
  await publishing;
  await follower.close();
  busy.close();
});

const before: PublishStep[] = ["checked", "intent", "commit", "staged", "ready"];
const after: PublishStep[] = ["moved", "content", "released", "recorded", "pruned"];

/** A node publishes RUN1 and is cut off after a step, until `back` is called. */
async function openCutOff(step: PublishStep) {
  const reached = Promise.withResolvers<void>();
  const back = Promise.withResolvers<void>();
  const { one, two } = await openNodes(async (name) => {
    if (name !== step) return;
    reached.resolve();
    await back.promise;
  });
  const outcome = publish(one, "RUN1").then(
    () => "published",
    () => "failed",
  );
  await reached.promise;
  await one.cutOff();
  return {
    one,
    two,
    /** Lets it go on. Returns what it says of its publish. */
    back() {
      back.resolve();
      return outcome;
    },
  };
}

/** Expects both nodes to be the same. */
async function expectSame(one: Node, two: Node): Promise<void> {
  await one.follow();
  await two.follow();
  expect(await stateOf(one)).toEqual(await stateOf(two));
}

const stateOfIntent = async (runId: string) => (await findIntent(database.db, runId))?.state;

test.each(before)(
  "abuse 220: a node that is cut off after «%s» publishes completely or not at all when it is back",
  async (step) => {
    const { one, two, back } = await openCutOff(step);
    // The server needs a moment to notice. Another node undoes what it finds.
    await eventually(async () => {
      await two.publisher.recover();
      expect(await stateOfIntent("RUN1")).toBeUndefined();
    });
    const outcome = await back();
    await expectSame(one, two);
    expect(await commitsOf(two, "RUN1")).toBe(outcome === "published" ? 1 : 0);
    expect(await liveHome(two)).toContain(outcome === "published" ? "RUN1" : "Home 0");
  },
);

test.each([...before, ...after])(
  "abuse 220: a node that is cut off after «%s» is replaced by another, and does nothing twice",
  async (step) => {
    const { one, two, back } = await openCutOff(step);
    await eventually(() => publish(two, "RUN2"));
    const isDone = (await stateOfIntent("RUN1")) === "done";
    const outcome = await back();
    await expectSame(one, two);
    const isPublished = after.includes(step) ? isDone : outcome === "published";
    expect(await commitsOf(two, "RUN1")).toBe(isPublished ? 1 : 0);
    expect(isDone).toBe(after.includes(step));
    expect(await commitsOf(two, "RUN2")).toBe(1);
    expect(await stateOfIntent("RUN2")).toBe("done");
  },
);
