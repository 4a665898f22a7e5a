import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, readlink } from "node:fs/promises";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RebuildStep } from "../../packages/server/src/features/release/rebuild-site.ts";
import { listRebuilds } from "../../packages/server/src/features/release/rebuild-store.ts";
import type { PublishStep } from "../../packages/server/src/features/release/finalize.ts";
import { unfinishedIntents } from "../../packages/server/src/features/release/store.ts";
import { listReleases } from "../../packages/server/src/features/release/current-symlink.ts";
import { spareName } from "../../packages/server/src/features/release/spare-release.ts";
import { listWorkspaces } from "../../packages/server/src/features/workspace/workspace.ts";
import { type Bundle, bundleProgram } from "../support/bundle.ts";
import {
  installInstance,
  openInstance,
  type TestInstance,
} from "../support/publish/publish-instance.ts";
import {
  exportSample,
  makeRecords,
  sampleBuilder,
  sampleRebuilder,
} from "../support/publish/rebuilding.ts";
import { tempFolder } from "../support/temp.ts";

const reader = join(import.meta.dirname, "../support/publish/reader.ts");

let rebuilder: Bundle;
beforeAll(async () => {
  rebuilder = await bundleProgram("publish/rebuilder.ts");
});
afterAll(() => rebuilder?.remove());

/** How often each step is died at; in the first round it is also killed wherever a random time falls. */
const rounds = 2;

const steps: (RebuildStep | PublishStep)[] = [
  "claimed",
  "workspace",
  "records",
  "built",
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
  "live",
  "ended",
];

/** Either when a step is over, or so many ms after the first save. */
type Death = { step: string; nth: number } | { ms: number };

interface Life {
  saved: number;
  live: number;
  recoveryMs: number;
}

function start(file: string, args: string[]): ChildProcess {
  return spawn(process.execPath, [file, ...args], {
    env: { ...process.env, ...rebuilder.env },
    stdio: ["ignore", "pipe", "inherit"],
  });
}

function linesOf(child: ChildProcess) {
  if (!child.stdout) throw new Error("The child has no output.");
  return createInterface({ input: child.stdout });
}

/** Lets a rebuilder live on the instance in `dir` until it is killed. */
async function live(dir: string, first: number, death: Death): Promise<Life> {
  const args = "step" in death ? [death.step, String(death.nth)] : [];
  const child = start(rebuilder.file, [dir, String(first), ...args]);
  const life: Life = { saved: 0, live: 0, recoveryMs: 0 };
  const ended = once(child, "close");
  for await (const line of linesOf(child)) {
    const [word, number = ""] = line.split(" ");
    if (word === "recovered") life.recoveryMs = Number(number);
    if (word === "live") life.live = Number(number);
    if (word !== "saved") continue;
    // Not awaited: what the child says until then is still read.
    if (life.saved === 0 && "ms" in death) {
      void delay(death.ms).then(() => child.kill("SIGKILL"));
    }
    life.saved = Number(number);
  }
  const [code, signal] = await ended;
  expect({ code, signal }).toEqual({ code: null, signal: "SIGKILL" });
  return life;
}

/** The live release is one of those that were built, wholly, and nothing lies about. */
async function assertWhole(instance: TestInstance): Promise<void> {
  const { paths, database, git, repository } = instance;
  const { db } = database;
  const own = sampleRebuilder(instance, sampleBuilder(paths));
  await instance.publisher.recover();
  await own.recover();
  expect(await unfinishedIntents(db)).toEqual([]);
  expect(await listRebuilds(db, "building")).toEqual([]);
  expect(await listWorkspaces(repository)).toEqual([]);
  const names = [...(await readdir(paths.releases)), ...(await readdir(paths.data))];
  const left = names.filter((name) => /^\.(staging|current)/.test(name));
  expect(left.filter((name) => name !== spareName)).toEqual([]);
  expect((await listReleases(paths)).at(-1)).toBe(Number(basename(await readlink(paths.current))));

  // Whatever was saved and not yet live is asked for, and arrives.
  expect(["done", "idle"]).toContain(await own.runOnce());
  expect(await own.runOnce()).toBe("idle");
  await own.close();
  expect(await git("status", "--porcelain", "--untracked-files=all")).toBe("");
  const text = await exportSample(db);
  expect(await git("show", "main:database/projects.json")).toBe(text);
  const media = await readdir(join(paths.content, "app/public/media/2026"));
  const visible = media.filter((name) => !name.startsWith(".")).toSorted();
  const tree = await git("ls-tree", "-r", "--name-only", "main", "app/public/media/2026");
  expect(
    tree
      .trim()
      .split("\n")
      .map((path) => basename(path))
      .toSorted(),
  ).toEqual(visible);
  expect((await readdir(join(paths.current, "media/2026"))).toSorted()).toEqual(visible);
  const [record] = JSON.parse(text) as { text: string; published: number }[];
  const home = await readFile(join(paths.current, "index.html"), "utf8");
  expect(home.includes(`atlas: ${record?.text}\n`.trim())).toBe(record?.published === 1);
}

async function killAgainAndAgain(dir: string, instance: TestInstance) {
  let next = 1;
  let slowest = 0;
  let arrived = 0;
  for (let round = 0; round < rounds; round += 1) {
    for (const step of steps) {
      const deaths: Death[] = [{ step, nth: 1 + round }];
      if (round === 0) deaths.push({ ms: Math.random() * 400 });
      for (const death of deaths) {
        const { saved, live: arrivals, recoveryMs } = await live(dir, next, death);
        next = saved + 1;
        arrived += Number(arrivals > 0);
        slowest = Math.max(slowest, recoveryMs);
      }
      if (round === 0) await assertWhole(instance);
    }
    await assertWhole(instance);
  }
  return { slowest, arrived };
}

test("after being killed at 48 points of a rebuild, the site is entirely old or new, and saved changes go live", async () => {
  await using folder = await tempFolder();
  await installInstance(folder.path);
  const instance = openInstance(folder.path);
  await makeRecords(instance.database.db);
  const watching = start(reader, [folder.path]);
  const output: string[] = [];
  const lines = linesOf(watching);
  lines.on("line", (line) => output.push(line));
  await once(lines, "line");
  try {
    const { slowest, arrived } = await killAgainAndAgain(folder.path, instance);
    // It takes a fraction of a second: more is a lock that is waited for, or a retry.
    expect(slowest).toBeLessThan(10_000);
    expect(arrived).toBeGreaterThan(0);
    const fsck = await instance.git("fsck", "--full", "--strict");
    expect(fsck).not.toMatch(/error|missing|corrupt/);
  } finally {
    const closed = once(lines, "close");
    watching.kill("SIGTERM");
    await closed;
    await instance.close();
  }
  expect(output.filter((line) => line.startsWith("torn"))).toEqual([]);
}, 480_000);
