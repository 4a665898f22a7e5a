import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, readlink } from "node:fs/promises";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { PublishStep } from "../../packages/server/src/features/release/finalize.ts";
import { findProject, listNames } from "../../packages/server/src/features/projects/store.ts";
import { findIntent, unfinishedIntents } from "../../packages/server/src/features/release/store.ts";
import { readManifest } from "../../packages/server/src/features/release/artifact/artifact.ts";
import { listReleases } from "../../packages/server/src/features/release/current-symlink.ts";
import { listFolder, spareName } from "../../packages/server/src/features/release/spare-release.ts";
import {
  listWorkspaces,
  removeWorkspace,
} from "../../packages/server/src/features/workspace/workspace.ts";
import { type Bundle, bundleProgram } from "../support/bundle.ts";
import {
  installInstance,
  openInstance,
  type TestInstance,
} from "../support/publish/publish-instance.ts";
import { createsProject, newSlug, publishedSlugs } from "../support/publish/records.ts";
import { tempFolder } from "../support/temp.ts";

const readerProgram = join(import.meta.dirname, "../support/publish/reader.ts");

let publisher: Bundle;
beforeAll(async () => {
  publisher = await bundleProgram("publish/publisher.ts");
});
afterAll(() => publisher?.remove());

/** How many lives end in each of the two instances that are tried side by side. */
const startsPerWorker = 104;

const steps: PublishStep[] = [
  "checked",
  "intent",
  "commit",
  "staged",
  "ready",
  "moved",
  "content",
  "released",
  "recorded",
  "pruned",
];

interface Ack {
  runId: string;
  commit: string;
  release: number;
}

interface Life {
  acks: Ack[];
  /** The last number that was saved in the record, and acknowledged. */
  saved: number;
  started: number;
  recoveryMs: number;
}

/** Either by itself when a step is over for the nth time, or so many ms after it was born or began. */
type Death = { step: PublishStep; nth: number } | { ms: number; after: "birth" | "begin" };

function start(program: string, args: string[]): ChildProcess {
  return spawn(process.execPath, [program, ...args], {
    env: { ...process.env, ...publisher.env },
    stdio: ["ignore", "pipe", "inherit"],
  });
}

function linesOf(child: ChildProcess) {
  if (!child.stdout) throw new Error("The child has no output.");
  return createInterface({ input: child.stdout });
}

/** Lets a publisher live on the instance in `dir` until it is killed. */
async function live(dir: string, first: number, death: Death): Promise<Life> {
  const args = "step" in death ? [death.step, String(death.nth)] : [];
  const child = start(publisher.file, [dir, String(first), ...args]);
  const life: Life = { acks: [], saved: 0, started: 0, recoveryMs: 0 };
  const ended = once(child, "close");
  let hasBegun = false;
  // Not awaited: what the child says until then is still read.
  const killLater = (ms: number) => void delay(ms).then(() => child.kill("SIGKILL"));
  if ("ms" in death && death.after === "birth") killLater(death.ms);
  for await (const line of linesOf(child)) {
    const [word, name = "", commit = "", release = ""] = line.split(" ");
    if (word === "recovered") life.recoveryMs = Number(name);
    if (word === "saved") life.saved = Number(name);
    if (word === "ack") life.acks.push({ runId: name, commit, release: Number(release) });
    if (word === "next") life.started = Number(name.slice(3));
    if (word === "begin") {
      if (!hasBegun && "ms" in death && death.after === "begin") killLater(death.ms);
      hasBegun = true;
    }
  }
  const [code, signal] = await ended;
  expect({ code, signal }).toEqual({ code: null, signal: "SIGKILL" });
  return life;
}

async function leftovers({ paths }: TestInstance): Promise<string[]> {
  const names = await Promise.all(
    [paths.releases, paths.data, join(paths.content, ".git")].map((dir) => readdir(dir)),
  );
  return names
    .flat()
    .filter((name) => /^\.(staging|current)|incoming|\.lock$/.test(name))
    .filter((name) => !["vitrine.lock", "publish.lock", spareName].includes(name));
}

/**
 * What the published runs have made of the records, and nothing else, is in the database, in the
 * repository and in the release. The newest run comes first.
 */
async function assertRecords(
  instance: TestInstance,
  numbers: readonly number[],
  saved: number,
): Promise<void> {
  const { paths, database, git } = instance;
  const metrics = (number: number) => [{ value: String(number), label: "ferries" }];
  const changed = numbers.find((number) => !createsProject(number)) ?? 0;
  const expected = new Map<string, unknown>([["harbour-map", metrics(changed)]]);
  for (const number of numbers.filter(createsProject))
    expected.set(newSlug(number), metrics(number));
  const slugs = [...expected.keys()].toSorted();

  const exported = JSON.parse(await git("show", "main:database/projects.json")) as {
    projects: { slug: string; status: string; metrics: unknown }[];
  };
  const inRepository = exported.projects.map((one) => [one.slug, one.status, one.metrics]);
  const inDatabase = await Promise.all(
    (await publishedSlugs(instance)).map(async (slug) => {
      const project = await findProject(database.db, { slug });
      return [slug, project?.status, project?.metrics];
    }),
  );
  const wanted = slugs.map((slug) => [slug, "published", expected.get(slug)]);
  const bySlug = (list: unknown[][]) => new Map(list.map((one) => [one[0], one]));
  expect(bySlug(inRepository)).toEqual(bySlug(wanted));
  expect(bySlug(inDatabase)).toEqual(bySlug(wanted));
  expect(await listNames(database.db)).toHaveLength(slugs.length);
  // The owner's own project had no page before the first run.
  const pages = await readdir(join(paths.current, "projects")).catch(() => [] as string[]);
  expect(pages.toSorted()).toEqual(slugs);

  const summary = (await findProject(database.db, { slug: "harbour-map" }))?.summary;
  expect(Number(summary)).toBeGreaterThanOrEqual(saved);
}

/** Everything that must hold after recovery, whatever was killed. */
async function assertWhole(instance: TestInstance, acks: Ack[], saved: number): Promise<void> {
  const { paths, database, git } = instance;
  await instance.publisher.recover();
  expect(await git("status", "--porcelain")).toBe("");
  expect(await unfinishedIntents(database.db)).toEqual([]);
  expect(await leftovers(instance)).toEqual([]);

  const current = Number(basename(await readlink(paths.current)));
  expect((await listReleases(paths)).at(-1)).toBe(current);
  for (const release of await listReleases(paths)) {
    const dir = join(paths.releases, String(release));
    const { files } = await readManifest(`${dir}.json`);
    const named = Object.values(files).map(({ file }) => file);
    expect((await listFolder(dir)).files.toSorted()).toEqual(named.toSorted());
  }
  const home = await readFile(join(paths.current, "index.html"), "utf8");
  expect(home).toBe(await git("show", "main:app/src/pages/index.astro"));

  const log = await git("log", "--format=%H %(trailers:key=Run,valueonly,separator=%x2C)", "main");
  const commits = log.trim().split("\n").slice(0, -1);
  const runs = commits.map((line) => line.split(" ")[1] ?? "");
  expect(new Set(runs).size).toBe(runs.length);
  const numbers = runs.map((runId) => Number(runId.slice(3)));
  expect(home).toBe(`<h1>Home ${numbers[0] ?? 0}</h1>\n`);
  await assertRecords(instance, numbers, saved);

  for (const { runId, commit, release } of acks) {
    expect(commits).toContain(`${commit} ${runId}`);
    expect(await findIntent(database.db, runId)).toMatchObject({
      state: "done",
      commit_sha: commit,
      release_number: release,
    });
  }
}

/** The reader that looks at the live release all the time; `stop` tells what it saw. */
async function startReader(dir: string) {
  const child = start(readerProgram, [dir]);
  const lines = linesOf(child);
  const output: string[] = [];
  lines.on("line", (line) => output.push(line));
  await once(lines, "line");
  const stop = async () => {
    const closed = once(lines, "close");
    child.kill("SIGTERM");
    await closed;
    const reads = Number(output.find((line) => line.startsWith("reads"))?.slice(6));
    return { reads, torn: output.filter((line) => line.startsWith("torn")) };
  };
  return { stop, [Symbol.asyncDispose]: async () => void child.kill("SIGKILL") };
}

async function worker(index: number) {
  await using folder = await tempFolder();
  await installInstance(folder.path);
  await using reader = await startReader(folder.path);
  const instance = openInstance(folder.path);
  const result = await killAgainAndAgain(instance, folder.path, index);
  await instance.close();
  return { ...result, ...(await reader.stop()) };
}

/** Half of the lives end at a step, by turns; the others wherever a random time falls. */
function deathAt(point: number, index: number): Death {
  const turn = Math.floor(point / 2);
  const step = steps[turn % steps.length] as PublishStep;
  if (point % 2 === index) return { step, nth: 1 + (turn % 3 === 0 ? 1 : 0) };
  if (turn % 4 === 0) return { ms: Math.random() * 500, after: "birth" };
  return { ms: Math.random() * 200, after: "begin" };
}

async function killAgainAndAgain(instance: TestInstance, dir: string, index: number) {
  const acks: Ack[] = [];
  let slowest = 0;
  let saved = 0;
  let next = 1;
  for (let point = 0; point < startsPerWorker; point += 1) {
    const life = await live(dir, next, deathAt(point, index));
    acks.push(...life.acks);
    slowest = Math.max(slowest, life.recoveryMs);
    saved = Math.max(saved, life.saved);
    next = Math.max(next, life.started) + 1;
    if (point % 25 === 24) await assertWhole(instance, acks, saved);
  }
  await assertWhole(instance, acks, saved);
  for (const name of await listWorkspaces(instance.repository)) {
    await removeWorkspace(instance.repository, name);
  }
  const fsck = await instance.git("fsck", "--full", "--strict");
  const worktrees = await instance.git("worktree", "list", "--porcelain");
  const created = (await publishedSlugs(instance)).length - 1;
  return { acks: acks.length, created, slowest, fsck, worktrees };
}

test("abuse 84, 105: killed at 208 points of publishes that change a record or create a project, site and records are wholly old or wholly new and nothing acknowledged is lost", async () => {
  const lives = await Promise.allSettled([worker(0), worker(1)]);
  // Both have ended what they have started, also if one of them has failed.
  const workers = lives.map((one) => {
    if (one.status === "rejected") throw one.reason;
    return one.value;
  });
  for (const { acks, created, slowest, fsck, worktrees, reads, torn } of workers) {
    expect(torn).toEqual([]);
    expect(reads).toBeGreaterThan(startsPerWorker);
    expect(acks).toBeGreaterThan(startsPerWorker / 20);
    expect(created).toBeGreaterThan(startsPerWorker / 20);
    // It takes a fraction of a second: more is a lock that is waited for, or a retry.
    expect(slowest).toBeLessThan(10_000);
    expect(fsck).not.toMatch(/error|missing|corrupt/);
    expect(worktrees.match(/^worktree /gm)).toHaveLength(1);
  }
}, 480_000);
