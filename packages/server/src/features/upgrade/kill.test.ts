import { type ChildProcess, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Bundle, bundleProgram } from "../../../../../test/support/bundle.ts";
import { tempFolder } from "../../../../../test/support/temp.ts";
import {
  inspectDatabase,
  makeOldInstance,
  makeProgram,
  newVersion,
  oldVersion,
} from "../../../../../test/support/upgrade-programs.ts";
import { mapConcurrently } from "../../kit/concurrency.ts";
import { instancePaths, nodeBinary } from "../../platform/paths.ts";
import { finishUpgrade, isBeingSwitched, nextDatabase, resolveUpgrade } from "./commit.ts";
import { linkedProgram } from "./programs.ts";
import { readState, stateFile, type UpgradePhase } from "./state.ts";

let harness: Bundle;
beforeAll(async () => {
  harness = await bundleProgram("upgrade-process.ts");
});
afterAll(() => harness.remove());

interface Running {
  child: ChildProcess;
  /** What it printed, when it has ended. */
  ended: Promise<string>;
}

function run(mode: "upgrade" | "serve" | "both", dir: string, folder: string): Running {
  const child = spawn(nodeBinary, [harness.file, mode, dir, folder], {
    env: { ...process.env, ...harness.env },
    stdio: ["ignore", "pipe", 2],
  });
  let output = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (output += text));
  const ended = new Promise<string>((done) => void child.once("close", () => done(output)));
  return { child, ended };
}

function phaseOf(dir: string): UpgradePhase | "none" {
  const file = stateFile(instancePaths(dir));
  if (!existsSync(file)) return "none";
  return (JSON.parse(readFileSync(file, "utf8")) as { phase: UpgradePhase }).phase;
}

/** Waits until the upgrade has reached a phase, or a process has ended. */
async function reach(dir: string, phase: string, ...running: Running[]): Promise<void> {
  const order = ["none", "preparing", "ready", "switching", "committed", "done", "failed"];
  const isOver = () => running.some(({ child }) => child.exitCode !== null);
  while (order.indexOf(phaseOf(dir)) < order.indexOf(phase) && !isOver()) await delay(2);
}

/** What the next start does before it serves. */
async function startAgain(dir: string): Promise<void> {
  const paths = instancePaths(dir);
  while (await isBeingSwitched(paths)) await delay(20);
  const state = await resolveUpgrade(paths, Date.now());
  if (state?.phase === "committed") await finishUpgrade(paths, Date.now());
}

/** Exactly one version serves, with its own schema and every write that was acknowledged. */
async function expectOneVersion(dir: string): Promise<string> {
  const paths = instancePaths(dir);
  const served = linkedProgram(paths)?.version ?? oldVersion;
  const version = served === newVersion ? 2 : 1;
  expect(await inspectDatabase(dir)).toEqual({ version, isIntact: true, lost: [] });
  expect(existsSync(nextDatabase(paths))).toBe(false);
  const state = await readState(paths);
  const ends = served === newVersion ? ["done"] : ["failed", undefined];
  expect(ends).toContain(state?.phase);
  return served;
}

const phases = ["none", "preparing", "ready", "switching", "committed"];
/** Which processes run, and which of them is killed. */
const kinds = ["both", "both", "alone", "serve", "upgrade"] as const;

async function killOnce(at: number, root: string): Promise<string> {
  const dir = join(root, String(at));
  const folder = join(dir, "new");
  await makeOldInstance(dir);
  await makeProgram(folder);
  const kind = kinds[at % kinds.length] ?? "both";
  const phase = phases[Math.floor(at / kinds.length) % phases.length] ?? "none";
  const isApart = kind === "serve" || kind === "upgrade";
  const serving = isApart ? [run("serve", dir, folder)] : [];
  for (const { child } of serving) {
    await new Promise((ready) => child.stdout?.once("data", ready));
  }
  const upgrading = run(kind === "both" ? "both" : "upgrade", dir, folder);
  const all = [...serving, upgrading];
  await reach(dir, phase, ...all);
  await delay(randomInt(phase === "none" ? 600 : 80));
  const victim = kind === "serve" ? serving[0] : upgrading;
  victim?.child.kill("SIGKILL");
  await victim?.ended;
  if (kind === "upgrade") {
    // The supervisor goes on with what it has begun, or with the old version.
    if (phaseOf(dir) !== "preparing" && phaseOf(dir) !== "none") await reach(dir, "committed");
    for (const { child } of serving) child.kill("SIGTERM");
    await Promise.all(serving.map(({ ended }) => ended));
  }
  await startAgain(dir);
  if (kind === "serve") {
    await upgrading.ended;
    await startAgain(dir);
  }
  return expectOneVersion(dir);
}

test("abuse 197: a hundred kills amid upgrades leave one version that serves, and every write", async () => {
  await using root = await tempFolder();
  const runs = Array.from({ length: 100 }, (_, at) => at);
  const served = await mapConcurrently(runs, 4, (at) => killOnce(at, root.path));
  // Both ways out have to be among them, or nothing was tested.
  expect(new Set(served)).toEqual(new Set([oldVersion, newVersion]));
}, 600_000);

test("after an interruption, the next upgrade goes through", async () => {
  await using root = await tempFolder();
  const dir = join(root.path, "instance");
  const folder = join(root.path, "new");
  await makeOldInstance(dir);
  await makeProgram(folder);
  const first = run("both", dir, folder);
  await reach(dir, "switching", first);
  first.child.kill("SIGKILL");
  await first.ended;
  await startAgain(dir);
  if ((await expectOneVersion(dir)) === newVersion) return;
  expect(await run("both", dir, folder).ended).toContain("done");
  expect(await expectOneVersion(dir)).toBe(newVersion);
});

test("a new version whose trial fails is removed, and the old one goes on with the reason", async () => {
  await using root = await tempFolder();
  const dir = join(root.path, "instance");
  await makeOldInstance(dir);
  const folder = await makeProgram(join(root.path, "new"), { failure: "It has no heart." });
  expect(await run("both", dir, folder).ended).toContain("failed");
  expect(await readState(instancePaths(dir))).toMatchObject({
    phase: "failed",
    step: "Trying the new version on the backup",
    reason: "It has no heart.",
  });
  expect(existsSync(join(dir, "programs", newVersion))).toBe(false);
  expect(await expectOneVersion(dir)).toBe(oldVersion);
});
