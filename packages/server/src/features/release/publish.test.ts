import { spawn } from "node:child_process";
import {
  mkdir,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { basename, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  makeArtifact,
  openInstance,
  silentLog,
  type TestInstance,
  writeFiles,
} from "../../../../../test/support/publish/publish-instance.ts";
import { copyInstance } from "../../../../../test/support/publish/sample.ts";
import { tempFolder, type TempFolder } from "../../../../../test/support/temp.ts";
import { AppError } from "../../kit/errors.ts";
import { exists } from "../../platform/files.ts";
import { makeRepository } from "../workspace/git.ts";
import {
  createWorkspace,
  openWorkspace,
  removeWorkspace,
  treeId,
  type Workspace,
} from "../workspace/workspace.ts";
import { streamedFrom } from "./artifact/output.ts";
import { isStored } from "./artifact/stored-artifacts.ts";
import { rebuildState, requestRebuild } from "./rebuild-requests.ts";
import { claimPending, endBuilding } from "./rebuild-store.ts";
import { makePrivateGate } from "./private/private-gate.ts";
import type { PublisherDependencies } from "./publish.ts";
import type { PublishStep } from "./finalize.ts";
import { stageRelease } from "./stage-release.ts";
import { prepareRestore } from "./restore.ts";
import { findIntent, unfinishedIntents } from "./store.ts";
import { currentRelease, initialRelease, listReleases } from "./current-symlink.ts";
import { startRunningClock } from "../../../../../test/support/running-clock.ts";

const home = "app/src/pages/index.astro";
const about = "app/src/pages/about.astro";

let folder: TempFolder;
let instance: TestInstance;

beforeEach(async () => {
  folder = await tempFolder();
  await copyInstance(folder.path);
  instance = openInstance(folder.path);
});

afterEach(async () => {
  await instance.close();
  await folder.remove();
});

/** Opens the instance anew, as the next process would. */
async function reopen(more: Partial<PublisherDependencies> = {}): Promise<void> {
  await instance.close();
  instance = openInstance(folder.path, more);
}

function liveHome(): Promise<string> {
  return readFile(join(instance.paths.current, "index.html"), "utf8");
}

async function publish(workspace: Workspace) {
  return instance.publisher.publish(await instance.request(workspace));
}

/** Everything that a refused publish must leave as it was. */
async function state() {
  const { paths, database, git } = instance;
  return {
    main: await git("rev-parse", "main"),
    status: await git("status", "--porcelain"),
    current: await readlink(paths.current),
    releases: (await readdir(paths.releases)).toSorted(),
    intents: await unfinishedIntents(database.db),
  };
}

class Died extends Error {}

/** Opens the instance so that its next publish stops dead after this step. */
function dieAfter(step: PublishStep) {
  return reopen({
    onStep(name) {
      if (name === step) throw new Died(step);
    },
  });
}

describe("publish", () => {
  test("private text that nobody has confirmed goes nowhere, and nothing of its release is left", async () => {
    const words = "Quillfeather merges with Amberly in October, nobody knows yet.";
    async function* otherTexts() {
      yield [{ record: "message 1", field: "message", kind: "message", text: words } as const];
    }
    const gateOf = ({ database: { db }, paths }: TestInstance) =>
      makePrivateGate({ db, paths, log: silentLog, otherTexts: [otherTexts] });
    await reopen({
      gate: {
        assertPublic: (...job) => gateOf(instance).assertPublic(...job),
      },
    });
    const workspace = await instance.workspace("RUN1", { [home]: `<h1>${words}</h1>\n` });
    const request = await instance.request(workspace);
    const before = await state();

    await expect(instance.publisher.publish(request)).rejects.toMatchObject({
      code: "private_text",
    });

    expect(await state()).toEqual(before);
  });

  test("makes one commit with trailers, one release of the very same files, one record", async () => {
    const workspace = await instance.workspace("RUN1", { [home]: "<h1>New</h1>\n" });
    const request = await instance.request(workspace, {
      message: "Say new\nthings",
      trailers: { Run: "RUN1", Actor: "Editor", "Published-Via": "task-queue", Task: "" },
    });
    const { commit, release, rebuilt } = await instance.publisher.publish(request);

    expect(rebuilt).toBe(false);
    expect(release).toBe(2);
    expect(await instance.git("log", "-1", "--format=%H|%an|%s|%(trailers:only)", "main")).toBe(
      `${commit}|Editor|Say new things|Run: RUN1\nActor: Editor\nPublished-Via: task-queue\n\n`,
    );
    expect(await instance.git("rev-list", "--count", "main")).toBe("2\n");
    expect(await instance.git("status", "--porcelain")).toBe("");
    expect(await readFile(join(instance.paths.content, home), "utf8")).toBe("<h1>New</h1>\n");

    expect(await readlink(instance.paths.current)).toBe("releases/2");
    const [seen, live] = await Promise.all(
      [request.artifact.dir, instance.paths.current].map((dir) => stat(join(dir, "index.html"))),
    );
    expect(live?.ino).toBe(seen?.ino);
    expect(await findIntent(instance.database.db, "RUN1")).toMatchObject({
      state: "done",
      commit_sha: commit,
      release_number: 2,
    });
    expect(instance.recorded).toEqual({
      published: [
        {
          runId: "RUN1",
          commit,
          release: 2,
          artifact: request.artifact.sha,
          change: expect.stringContaining("Change by RUN1"),
        },
      ],
      rolledBack: [],
      changes: [{ title: "Change by RUN1", commit }],
    });
  });

  test("adds, removes and empties folders of content/ with it", async () => {
    await publish(await instance.workspace("RUN1", { "app/src/deep/er/new.ts": "1\n" }));
    expect(await exists(join(instance.paths.content, "app/src/deep/er/new.ts"))).toBe(true);
    const workspace = await instance.workspace("RUN2");
    await rm(join(workspace.dir, "app/src/deep"), { recursive: true });
    await publish(workspace);
    expect(await exists(join(instance.paths.content, "app/src/deep"))).toBe(false);
    expect(await instance.git("status", "--porcelain")).toBe("");
  });

  test("keeps the newest releases and never removes the current one", async () => {
    await reopen({ keepReleases: 2 });
    for (const n of [1, 2, 3]) {
      await publish(await instance.workspace(`RUN${n}`, { [home]: `<h1>${n}</h1>\n` }));
    }
    expect(await listReleases(instance.paths)).toEqual([3, 4]);
    expect(await liveHome()).toBe("<h1>3</h1>\n");
  });

  test("a second publish of the same run, and one of nothing, are refused", async () => {
    const workspace = await instance.workspace("RUN1", { [home]: "<h1>1</h1>\n" });
    await publish(workspace);
    await expect(publish(workspace)).rejects.toMatchObject({ code: "invalid_state" });
    await expect(publish(await instance.workspace("RUN2"))).rejects.toMatchObject({
      code: "invalid_state",
    });
  });

  test("a workspace that has changed since its preview is refused", async () => {
    const workspace = await instance.workspace("RUN1", { [home]: "<h1>1</h1>\n" });
    const tree = await treeId(instance.repository, workspace);
    await writeFiles(workspace.dir, { [home]: "<h1>2</h1>\n" });
    const request = await instance.request(workspace, { tree });
    await expect(instance.publisher.publish(request)).rejects.toMatchObject({ code: "conflict" });
  });

  test("two at once come one after the other, the second on top of the first", async () => {
    await reopen({ waitMs: 60_000 });
    const one = await instance.workspace("RUN1", { [home]: "<h1>1</h1>\n" });
    const two = await instance.workspace("RUN2", { [about]: "<h1>Us</h1>\n" });
    const results = await Promise.all([publish(one), publish(two)]);
    expect(results.map((result) => result.rebuilt).toSorted()).toEqual([false, true]);
    expect(await instance.git("rev-list", "--count", "--no-merges", "main")).toBe("3\n");
    expect(await liveHome()).toBe("<h1>1</h1>\n");
    expect(await instance.git("show", `main:${about}`)).toBe("<h1>Us</h1>\n");
  });

  test("one that finds another process publishing is refused as locked", async () => {
    const other = openInstance(folder.path, { waitMs: 50 });
    const workspace = await instance.workspace("RUN1", { [home]: "<h1>1</h1>\n" });
    await instance.git("commit", "-q", "--allow-empty", "-m", "Moved");
    const { promise: inside, resolve } = Promise.withResolvers<void>();
    const { promise: go, resolve: proceed } = Promise.withResolvers<void>();
    const request = await instance.request(workspace, {
      rebuild: async () => {
        resolve();
        await go;
        return (await instance.request(workspace)).artifact;
      },
    });
    const first = instance.publisher.publish(request);
    await inside;
    const refused = other.publisher.publish(await instance.request(workspace));
    await expect(refused).rejects.toMatchObject({ code: "locked" });
    proceed();
    await first;
    await other.close();
  });
});

describe("when main has moved", () => {
  async function commitByHand(files: Record<string, string>) {
    await writeFiles(instance.paths.content, files);
    await instance.git("add", ".");
    await instance.git("commit", "-qm", "By hand");
  }

  test("the change is merged, built anew, and still one commit", async () => {
    const workspace = await instance.workspace("RUN1", { [home]: "<h1>New</h1>\n" });
    await commitByHand({ "brand/voice.md": "Mine.\n" });
    const { commit, rebuilt } = await publish(workspace);
    expect(rebuilt).toBe(true);
    const parents = await instance.git("log", "--format=%s %p", "main");
    expect(parents.split("\n").map((line) => line.split(" ").length)).toEqual([4, 3, 2, 1]);
    expect(await instance.git("show", `${commit}:brand/voice.md`)).toBe("Mine.\n");
    expect(await liveHome()).toBe("<h1>New</h1>\n");
    expect(await instance.git("status", "--porcelain")).toBe("");
  });

  test("changes in the same place are a conflict with the files, and nothing is changed", async () => {
    const workspace = await instance.workspace("RUN1", { [home]: "<h1>New</h1>\n" });
    await commitByHand({ [home]: "<h1>Mine</h1>\n" });
    const before = await state();
    await expect(publish(workspace)).rejects.toMatchObject({
      code: "conflict",
      details: { files: [home] },
    });
    expect(await state()).toEqual(before);
  });

  test("a build that fails then leaves the workspace as it was", async () => {
    const workspace = await instance.workspace("RUN1", { [home]: "<h1>New</h1>\n" });
    const tree = await treeId(instance.repository, workspace);
    await commitByHand({ "brand/voice.md": "Mine.\n" });
    const before = await state();
    const failed = new AppError("validation_failed", "The site does not build.");
    const request = await instance.request(workspace, { rebuild: () => Promise.reject(failed) });
    await expect(instance.publisher.publish(request)).rejects.toBe(failed);
    expect(await state()).toEqual(before);
    expect(await treeId(instance.repository, workspace)).toBe(tree);
    expect((await publish(workspace)).rebuilt).toBe(true);
  });
});

describe("a process that dies amid the merge", () => {
  const added = "brand/new.md";
  const damage = async () => {
    await writeFile(join(instance.paths.content, ".git/worktrees/RUN1/index"), "DIRC, not quite");
  };

  /** Dies where git is asked for this; `leaving` is what it has done of it by then. */
  async function dieAt(requested: string, leaving: (workspace: string) => Promise<void>) {
    let alive = true;
    const repository = stopWhen(() => !alive);
    const git: typeof repository.git = async (args, options) => {
      if (args.join(" ").startsWith(requested)) {
        alive = false;
        await leaving(options?.place?.workTree ?? "");
      }
      return repository.git(args, options);
    };
    await reopen({ repository: { ...repository, git } });
  }

  test.each([
    ["while its files are written", "read-tree --reset", { [added]: "Mi", "brand/voice.md": "Mi" }],
    ["before the workspace is on its new base", "update-ref --no-deref HEAD", {}],
    ["with a damaged index", "update-ref --no-deref HEAD", {}, damage],
  ] as const)("%s leaves a preview that can go live", async (_, requested, written, also?) => {
    const workspace = await instance.workspace("RUN1", { [home]: "<h1>New</h1>\n" });
    const tree = await treeId(instance.repository, workspace);
    await writeFiles(instance.paths.content, { [added]: "Mine.\n", "brand/voice.md": "Mine.\n" });
    await instance.git("add", ".");
    await instance.git("commit", "-qm", "By hand");
    // What git was writing it has not told its index of.
    await dieAt(requested, async (dir) => {
      await writeFiles(dir, written);
      await also?.();
    });
    await expect(publish(workspace)).rejects.toBeInstanceOf(Died);
    await reopen();
    await instance.publisher.recover();
    const ready = await openWorkspace(instance.repository, "RUN1");
    expect(ready.baseCommit).toBe(workspace.baseCommit);
    expect(await treeId(instance.repository, ready)).toBe(tree);
    const request = await instance.request(ready, { tree });
    expect((await instance.publisher.publish(request)).rebuilt).toBe(true);
    expect(await instance.git("show", `main:${added}`)).toBe("Mine.\n");
    expect(await liveHome()).toBe("<h1>New</h1>\n");
  });
});

describe("abuse 82: refused without a trace", () => {
  test("edits by hand in content/ are named", async () => {
    const workspace = await instance.workspace("RUN1", { [home]: "<h1>New</h1>\n" });
    await writeFiles(instance.paths.content, { "brand/voice.md": "Mine.\n" });
    const before = await state();
    await expect(publish(workspace)).rejects.toMatchObject({
      code: "dirty_tree",
      details: { files: ["brand/voice.md"] },
    });
    expect(await state()).toEqual(before);
    expect(await readFile(join(instance.paths.content, "brand/voice.md"), "utf8")).toBe("Mine.\n");
  });

  test("changes where no run may write are named", async () => {
    const workspace = await instance.workspace("RUN1", {
      [home]: "<h1>New</h1>\n",
      "scripts/note.sh": "echo other\n",
      "README.md": "Hello\n",
      "app/public/media/2026/b.jpg": "no",
    });
    const before = await state();
    await expect(publish(workspace)).rejects.toMatchObject({
      code: "dirty_tree",
      details: { files: ["README.md", "app/public/media/2026/b.jpg", "scripts/note.sh"] },
    });
    expect(await state()).toEqual(before);
  });

  test("content/ on another branch", async () => {
    const workspace = await instance.workspace("RUN1", { [home]: "<h1>New</h1>\n" });
    await instance.git("switch", "-qc", "draft");
    await expect(publish(workspace)).rejects.toMatchObject({ code: "dirty_tree" });
  });
});

describe("while git reads new media for a publish", () => {
  /** Reopens so that this is done where git would look at the files. */
  async function atRefresh(what: () => Promise<unknown>) {
    const repository = stopWhen(() => false);
    const git: typeof repository.git = async (args, options) => {
      if (args.includes("--refresh")) await what();
      return repository.git(args, options);
    };
    await reopen({ repository: { ...repository, git } });
  }

  test("runs get and write their workspaces", async () => {
    let tree = "";
    await atRefresh(async () => {
      const other = await instance.workspace("RUN2", { [about]: "<h1>Us</h1>\n" });
      tree = await treeId(instance.repository, other);
      await removeWorkspace(instance.repository, "RUN2");
    });
    await publish(await instance.workspace("RUN1", { [home]: "<h1>1</h1>\n" }));
    expect(tree).toMatch(/^[0-9a-f]{40}$/);
    expect(await instance.git("status", "--porcelain")).toBe("");
  });

  test("a failure of that is none of the publish", async () => {
    await atRefresh(() => Promise.reject(new AppError("upstream_failed", "git took too long.")));
    await publish(await instance.workspace("RUN1", { [home]: "<h1>1</h1>\n" }));
    expect(await liveHome()).toBe("<h1>1</h1>\n");
    expect(await unfinishedIntents(instance.database.db)).toEqual([]);
  });
});

describe("a damaged artifact is refused", () => {
  test.each(["missing", "changed", "a link", "without a manifest"])("%s", async (damage) => {
    const workspace = await instance.workspace("RUN1", { [home]: "<h1>New</h1>\n" });
    const request = await instance.request(workspace);
    const file = join(request.artifact.dir, "about/index.html");
    if (damage === "missing") await rm(file);
    if (damage === "changed")
      await writeFile(file, (await readFile(file, "utf8")).replace("N", "M"));
    if (damage === "a link") await symlink("/etc/passwd", `${file}.lnk`);
    if (damage === "without a manifest") await rm(`${request.artifact.dir}.json`);
    const before = await state();
    await expect(instance.publisher.publish(request)).rejects.toMatchObject({ code: "conflict" });
    expect(await state()).toEqual(before);
    // Else the next build of the same would take it for whole.
    expect(await isStored(request.artifact.dir)).toBe(false);
  });
});

test("a large file is compared in pieces, so that nobody waits for all of it", async () => {
  const { paths } = instance;
  const text = "x".repeat(streamedFrom);
  const artifact = await makeArtifact(paths, { "index.html": "<h1>1</h1>\n", "film.bin": text });
  const { readFileSync } = fs;
  const names: string[] = [];
  fs.readFileSync = ((path: string, ...more: []) => {
    names.push(basename(path));
    return readFileSync(path, ...more);
  }) as typeof readFileSync;
  syncBuiltinESMExports();
  try {
    await stageRelease(paths, artifact, 2);
  } finally {
    fs.readFileSync = readFileSync;
    syncBuiltinESMExports();
  }
  expect(names).toContain("index.html");
  expect(names).not.toContain("film.bin");
  await writeFile(join(artifact.dir, "film.bin"), text.replace("x", "y"));
  await expect(stageRelease(paths, artifact, 3)).rejects.toMatchObject({
    code: "conflict",
    details: { files: ["film.bin"] },
  });
});

test("an artifact that can't be read just now stays", async () => {
  const workspace = await instance.workspace("RUN1", { [home]: "<h1>New</h1>\n" });
  const request = await instance.request(workspace);
  const { dir } = request.artifact;
  // As good as no file handle: no read of it succeeds, and it is there.
  await rename(`${dir}.json`, `${dir}.kept`);
  await mkdir(`${dir}.json`);
  await expect(instance.publisher.publish(request)).rejects.toMatchObject({ code: "EISDIR" });
  await rm(`${dir}.json`, { recursive: true });
  await rename(`${dir}.kept`, `${dir}.json`);
  await instance.publisher.publish(request);
  expect(await liveHome()).toBe("<h1>New</h1>\n");
});

describe("recovery", () => {
  test.each(["moved", "content", "released"] as const)(
    "abuse 85: what dies once main has moved (%s) is completed at boot, once",
    async (step) => {
      const workspace = await instance.workspace("RUN1", { [home]: "<h1>New</h1>\n" });
      await killAfter(step);
      await expect(publish(workspace)).rejects.toBeInstanceOf(Died);
      await reopen();
      using clock = startRunningClock();
      await instance.publisher.recover();
      await instance.publisher.recover();
      // It takes a fraction of a second: more is a lock that is waited for, or a retry.
      expect(clock.elapsed()).toBeLessThan(10_000);
      expect(await liveHome()).toBe("<h1>New</h1>\n");
      expect(instance.recorded.published).toHaveLength(1);
      expect(instance.recorded.changes).toHaveLength(1);
      expect(await instance.git("status", "--porcelain")).toBe("");
      expect(await instance.git("rev-list", "--count", "main")).toBe("2\n");
      // What was live in between is not known: the records may have changed.
      expect(await rebuildState(instance.database.db)).toMatchObject({ state: "pending" });
    },
  );

  test.each([
    ["no rebuild has started since", 1, "idle"],
    ["one has", 0, "pending"],
  ])("what dies once it is recorded: if %s (%i), the site is %s", async (_, before, expected) => {
    const { db } = instance.database;
    await requestRebuild(db, { reason: "a theme", now: 1000 });
    const rebuild = await claimPending(db, "2026-01-01T00:00:00.000Z");
    const end = { finished_at: "2026-01-01T00:00:01.000Z", commit_sha: null, release_number: null };
    await endBuilding(db, rebuild?.id ?? 0, { ...end, status: "done", error: null });
    await killAfter("recorded");
    const workspace = await instance.workspace("RUN1", { [home]: "<h1>New</h1>\n" });
    const request = await instance.request(workspace, { rebuildBefore: before });
    await expect(instance.publisher.publish(request)).rejects.toBeInstanceOf(Died);
    expect(await rebuildState(instance.database.db)).toMatchObject({ state: expected });
  });

  test("a hook that fails is tried again by the next publish, and the first answer stays true", async () => {
    let failures = 2;
    const published: string[] = [];
    await reopen({
      hooks: {
        async onPublished(_, { runId }) {
          failures -= 1;
          if (failures >= 0) throw new Error("database gone");
          published.push(runId);
        },
        onRolledBack: async () => {},
      },
    });
    const first = await instance.workspace("RUN1", { [home]: "<h1>1</h1>\n" });
    await expect(publish(first)).rejects.toThrow("database gone");
    expect(await liveHome()).toBe("<h1>1</h1>\n");
    await publish(await instance.workspace("RUN2", { [home]: "<h1>2</h1>\n" }));
    expect(published).toEqual(["RUN1", "RUN2"]);
  });

  test("nothing is published on top of one that can't be ended, and it is ended first", async () => {
    let fixed = false;
    const published: string[] = [];
    await reopen({
      hooks: {
        async onPublished(_, { runId }) {
          if (!fixed) throw new AppError("disk_full", "The disk is full.");
          published.push(runId);
        },
        onRolledBack: async () => {},
      },
    });
    const first = await instance.workspace("RUN1", { [home]: "<h1>1</h1>\n" });
    await expect(publish(first)).rejects.toMatchObject({ code: "disk_full" });
    const second = await instance.workspace("RUN2", { [home]: "<h1>2</h1>\n" });
    const request = await instance.request(second);
    const before = await state();
    const refusal = {
      code: "unavailable",
      message: expect.stringContaining("The disk is full. Fix that, then try again"),
    };
    await expect(instance.publisher.publish(request)).rejects.toMatchObject(refusal);
    await expect(instance.publisher.release(request.artifact)).rejects.toMatchObject(refusal);
    expect(await state()).toEqual(before);
    fixed = true;
    await instance.publisher.publish(request);
    expect(published).toEqual(["RUN1", "RUN2"]);
    expect(await instance.git("rev-list", "--count", "main")).toBe("3\n");
    expect(await liveHome()).toBe("<h1>2</h1>\n");
  });

  test("one whose release and artifact are gone is ended, and the site is to be built anew", async () => {
    const { paths } = instance;
    const workspace = await instance.workspace("RUN1", { [home]: "<h1>New</h1>\n" });
    const request = await instance.request(workspace);
    await killAfter("moved");
    await expect(instance.publisher.publish(request)).rejects.toBeInstanceOf(Died);
    await reopen();
    await rm(join(paths.releases, ".staging-2"), { recursive: true });
    await rm(request.artifact.dir, { recursive: true });
    await instance.publisher.recover();
    expect(instance.recorded.published).toHaveLength(1);
    expect(await liveHome()).toBe("<h1>Home 0</h1>\n");
    expect(await rebuildState(instance.database.db)).toMatchObject({
      state: "pending",
      // The damage, and a publish whose records may have been older than the site's.
      reason: "several changes",
    });
    await publish(await instance.workspace("RUN2", { [about]: "<h1>Us</h1>\n" }));
    expect(await liveHome()).toBe("<h1>New</h1>\n");
  });

  test("edits by hand, made while the process was dead, survive the completion", async () => {
    const workspace = await instance.workspace("RUN1", {
      [home]: "<h1>New</h1>\n",
      [about]: "<h1>New about</h1>\n",
    });
    await killAfter("moved");
    await expect(publish(workspace)).rejects.toBeInstanceOf(Died);
    await reopen();
    await writeFiles(instance.paths.content, { [home]: "<h1>Mine</h1>\n" });
    await instance.publisher.recover();
    expect(await readFile(join(instance.paths.content, home), "utf8")).toBe("<h1>Mine</h1>\n");
    expect(await readFile(join(instance.paths.content, about), "utf8")).toBe(
      "<h1>New about</h1>\n",
    );
    expect(await instance.git("status", "--porcelain")).toBe(` M ${home}\n`);
    expect(await liveHome()).toBe("<h1>New</h1>\n");
  });

  test("abuse 81: an index.lock whose owner is dead is removed, one with a living owner is waited for", async () => {
    const lock = join(instance.paths.content, ".git/index.lock");
    await writeFile(lock, "");
    const workspace = await instance.workspace("RUN1", { [home]: "<h1>1</h1>\n" });
    await publish(workspace);
    expect(await exists(lock)).toBe(false);

    const own = join(instance.paths.content, ".git/worktrees/RUN2/index.lock");
    const other = await instance.workspace("RUN2", { [home]: "<h1>2</h1>\n" });
    await writeFile(own, "");
    await treeId(instance.repository, other);
    expect(await exists(own)).toBe(false);

    await writeFile(lock, "");
    const living = spawn("git", ["cat-file", "--batch"], {
      cwd: instance.paths.content,
      stdio: ["pipe", "ignore", "ignore"],
    });
    const publishing = publish(other);
    await expect.poll(() => instance.git("rev-list", "--count", "main")).toBe("3\n");
    expect(await exists(lock)).toBe(true);
    living.stdin.end();
    await publishing;
    expect(await exists(lock)).toBe(false);
  });

  test("a git process that outlives its program is ended before recovery judges", async () => {
    const mark = `vitrine.owner=1234567@${instance.repository.gitDir}`;
    const orphan = spawn("git", ["-c", mark, "cat-file", "--batch"], {
      cwd: instance.paths.content,
      stdio: ["pipe", "ignore", "ignore"],
    });
    const ended = new Promise((resolve) => {
      orphan.on("exit", (_, signal) => resolve(signal));
    });
    // Until it has become git, its command line is not there to be read.
    await expect
      .poll(() => readFile(`/proc/${orphan.pid}/cmdline`, "utf8").catch(() => ""))
      .toContain("vitrine.owner");
    await instance.publisher.recover();
    expect(await ended).toBe("SIGKILL");
  });

  test("staged folders go, a dangling `current` is pointed at the newest whole release", async () => {
    const { paths } = instance;
    await publish(await instance.workspace("RUN1", { [home]: "<h1>1</h1>\n" }));
    await writeFiles(paths.releases, { ".staging-9/x": "", ".staging-9.json": "", "7/x": "" });
    await symlink("releases/9", join(paths.data, ".current-9"));
    await rm(paths.current);
    await symlink("releases/99", paths.current);
    await instance.publisher.recover();
    expect(await currentRelease(paths)).toBe(2);
    expect((await readdir(paths.releases)).toSorted()).toEqual(["1", "1.json", "2", "2.json"]);
    expect(await exists(join(paths.data, ".current-9"))).toBe(false);
  });

  test("recovery does not wait for a publish under way in another process", async () => {
    const other = openInstance(folder.path);
    let recovered = false;
    await reopen({
      async onStep(step) {
        if (step !== "commit") return;
        await other.publisher.recover();
        recovered = true;
      },
    });
    await publish(await instance.workspace("RUN1", { [home]: "<h1>1</h1>\n" }));
    expect(recovered).toBe(true);
    expect(other.recorded.rolledBack).toEqual([]);
    await other.close();
  });
});

test.each(["intent", "commit", "staged", "ready"] as const)(
  "a failure before main moves (%s) leaves no trace, and the run can be published again",
  async (step) => {
    const workspace = await instance.workspace("RUN1", { [home]: "<h1>New</h1>\n" });
    const before = await state();
    await dieAfter(step);
    await expect(publish(workspace)).rejects.toBeInstanceOf(Died);
    await reopen();
    await instance.publisher.recover();
    expect(await state()).toEqual(before);
    expect((await publish(workspace)).release).toBe(2);
  },
);

describe("restore", () => {
  test("undoes one publish with a commit that goes forward", async () => {
    const first = await publish(await instance.workspace("RUN1", { [home]: "<h1>1</h1>\n" }));
    await publish(await instance.workspace("RUN2", { [about]: "<h1>Us</h1>\n" }));
    const workspace = await createWorkspace(instance.repository, "RUN3");
    await prepareRestore(instance.repository, workspace, first.commit);
    const request = await instance.request(workspace, { trailers: { Restores: first.commit } });
    const { rebuilt } = await instance.publisher.publish(request);
    expect(rebuilt).toBe(false);
    expect(await liveHome()).toBe("<h1>Home 0</h1>\n");
    expect(await instance.git("show", `main:${about}`)).toBe("<h1>Us</h1>\n");
    expect(await instance.git("rev-list", "--count", "main")).toBe("4\n");
    expect(await instance.git("log", "-1", "--format=%(trailers:key=Restores)", "main")).toContain(
      first.commit,
    );
  });

  test("is refused with the files when later changes stand in the way, and when nothing is left", async () => {
    const first = await publish(await instance.workspace("RUN1", { [home]: "<h1>1</h1>\n" }));
    const second = await publish(await instance.workspace("RUN2", { [home]: "<h1>2</h1>\n" }));
    const workspace = await createWorkspace(instance.repository, "RUN3");
    const { repository } = instance;
    await expect(prepareRestore(repository, workspace, first.commit)).rejects.toMatchObject({
      code: "conflict",
      details: { files: [home] },
    });
    await prepareRestore(repository, workspace, second.commit);
    await publish(workspace);
    const again = await createWorkspace(repository, "RUN4");
    await expect(prepareRestore(repository, again, second.commit)).rejects.toMatchObject({
      code: "invalid_state",
    });
    const root = (await instance.git("rev-list", "--max-parents=0", "main")).trim();
    await expect(prepareRestore(repository, again, root)).rejects.toMatchObject({
      code: "conflict",
    });
    await expect(prepareRestore(repository, again, "0".repeat(40))).rejects.toMatchObject({
      code: "not_found",
    });
  });
});

test("a release without a run takes the next number; the first one is made once", async () => {
  const { paths } = instance;
  const workspace = await instance.workspace("RUN1", { [home]: "<h1>1</h1>\n" });
  const { artifact } = await instance.request(workspace);
  expect(await initialRelease(paths, artifact)).toBe(1);
  expect(await instance.publisher.release(artifact)).toEqual({ release: 2 });
  expect(await liveHome()).toBe("<h1>1</h1>\n");
  expect((await publish(workspace)).release).toBe(3);
});

test("abuse 83: of many publishes of one run exactly one wins, the others are told", async () => {
  const workspace = await instance.workspace("RUN1", { [home]: "<h1>1</h1>\n" });
  const other = openInstance(folder.path);
  const request = await instance.request(workspace);
  const results = await Promise.allSettled(
    [instance, other, instance, other].map(({ publisher }) => publisher.publish(request)),
  );
  expect(results.filter((result) => result.status === "fulfilled")).toHaveLength(1);
  const reasons = results.flatMap((result) =>
    result.status === "rejected" ? [result.reason] : [],
  );
  expect(["invalid_state", "locked"]).toEqual(
    expect.arrayContaining(reasons.map((reason: AppError) => reason.code)),
  );
  expect(basename(await readlink(instance.paths.current))).toBe("2");
  await other.close();
});

/** As `dieAfter`, and nothing at all is done from then on: neither taken back nor completed. */
async function killAfter(step: PublishStep): Promise<void> {
  let alive = true;
  await reopen({
    onStep(name) {
      if (name === step) alive = false;
      if (!alive) throw new Died(step);
    },
    repository: stopWhen(() => !alive),
  });
}

/** A repository that a dead process would no longer reach. */
function stopWhen(dead: () => boolean) {
  const { content, workspaces } = instance.paths;
  const repository = makeRepository({
    contentDir: content,
    workspacesDir: workspaces,
    log: silentLog,
  });
  const git: typeof repository.git = (args, options) =>
    dead() ? Promise.reject(new Died()) : repository.git(args, options);
  return { ...repository, git };
}
