import { spawnSync } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../test/support/temp.ts";
import { slowestFiles } from "./report.ts";
import { nodeBinary, platformRoot } from "../../packages/server/src/platform/paths.ts";

const start =
  'import { existsSync, writeFileSync } from "node:fs";\nimport { test } from "vitest";\n';
/** True in the first run of a file, and in no later one. */
const first = (name: string) =>
  `const mark = new URL("${name}.mark", import.meta.url);
const first = !existsSync(mark);
writeFileSync(mark, "");\n`;

const good = `${start}test("good", () => {});\ntest("good too", () => {});`;
const failsOnce = `${start}${first("once")}test("once", () => { if (first) throw new Error("a bad moment"); });`;
const failsTwice = `${start}test("twice", () => { throw new Error("never right"); });\ntest("right", () => {});`;
const crashes = `${start}test("unseen", () => {});\nprocess.kill(process.pid, "SIGKILL");`;
const crashesOnce = `${start}${first("crash")}test("crash", () => { if (first) process.kill(process.pid, "SIGKILL"); });`;
const throwsOutside = `throw new Error("not collected");`;
const throwsLate = `${start}${first("late")}test("late", () => new Promise((end) => {
  if (first) setTimeout(() => { throw new Error("too late"); }, 1);
  setTimeout(end, 50);
}));`;
const hangs = "await new Promise(() => setInterval(() => {}, 1000));";

const config = `
const common = { maxWorkers: 2, setupFiles: ["${platformRoot}/test/support/collect-timeout.ts"] };
const project = (name, collectTimeoutMs) =>
  ({ test: { ...common, name, include: [name + "/*.test.ts"], provide: { collectTimeoutMs } } });
export default { test: { projects: [project("quick", 60_000), project("slow", 500)] } };`;

/** Runs these files, by their path below a folder of their own, and gives what was printed at the end. */
async function runFiles(files: Record<string, string>, args: readonly string[] = []) {
  await using folder = await tempFolder();
  const site = join(folder.path, "site");
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(site, path, ".."), { recursive: true });
    await writeFile(join(site, path), text);
  }
  await symlink(join(platformRoot, "node_modules"), join(site, "node_modules"));
  await writeFile(join(site, "vitest.config.mjs"), config);
  const program = `
    import { runTests } from "${platformRoot}/scripts/testing/run-tests.ts";
    const [root, folder, ...args] = process.argv.slice(1);
    process.exitCode = runTests({ root, args, env: process.env, folder, print: console.log });`;
  const command = ["--input-type=module", "-e", program, site, folder.path, ...args];
  // The worker of this test has told its environment what it is.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(?:VITE|VITEST|TEST|NODE_ENV)/.test(name)),
  );
  const { stdout, stderr, status } = spawnSync(nodeBinary, command, { encoding: "utf8", env });
  const lines = stdout.trimEnd().split("\n");
  return {
    status,
    stderr,
    last: lines.at(-1),
    flaky: lines.filter((line) => line.startsWith("Flaky: ")),
    failed: lines.filter((line) => line.startsWith("Failed: ")),
    slowest: lines.filter((line) => /^ *\d+\.\d s {2}/.test(line)),
  };
}

test("what fails once is flaky, and the run passes with every test counted", async () => {
  const result = await runFiles({
    "quick/good.test.ts": good,
    "quick/once.test.ts": failsOnce,
    "quick/crash.test.ts": crashesOnce,
    "quick/late.test.ts": throwsLate,
  });
  expect(result.flaky.toSorted()).toEqual([
    "Flaky: quick/crash.test.ts > (the file): The process ended before the file was done.",
    "Flaky: quick/late.test.ts > (the file): too late",
    "Flaky: quick/once.test.ts > once: a bad moment",
  ]);
  expect(result.failed).toEqual([]);
  expect([result.last, result.status]).toEqual(["5 passed, 0 failed", 0]);
});

test("what fails twice, crashes, or never comes to its tests fails the run", async () => {
  const result = await runFiles({
    "quick/good.test.ts": good,
    "quick/once.test.ts": failsOnce,
    "quick/twice.test.ts": failsTwice,
    "quick/crash.test.ts": crashes,
    "quick/throws.test.ts": throwsOutside,
    "slow/hangs.test.ts": hangs,
  });
  expect(result.flaky).toEqual(["Flaky: quick/once.test.ts > once: a bad moment"]);
  expect(result.failed.toSorted()).toEqual([
    "Failed: quick/crash.test.ts > (the file): The process ended before the file was done.",
    "Failed: quick/throws.test.ts > (the file): not collected",
    "Failed: quick/twice.test.ts > twice: never right",
    "Failed: slow/hangs.test.ts > (the file): The process ended before the file was done.",
  ]);
  expect(result.stderr).toContain("was not collected within 500 ms");
  expect([result.last, result.status]).toEqual(["4 passed, 4 failed", 1]);
});

test("a long run names its slowest files", async () => {
  const many = Array.from({ length: 21 }, (_, index) => [`quick/${index}.test.ts`, good] as const);
  const result = await runFiles(Object.fromEntries(many));
  expect(result.slowest).toHaveLength(10);
  expect(result.last).toBe("42 passed, 0 failed");
  const files = [1, 30, 2.5].map((seconds, at) => ({
    file: `/${at}`,
    error: null,
    tests: [],
    seconds,
  }));
  const slowest = slowestFiles({ files, unattributed: [] }, 2);
  expect(slowest.map(({ file }) => file)).toEqual(["/1", "/2"]);
});

test("paths and options hold for both runs, and a run without a test fails", async () => {
  const files = { "quick/once.test.ts": failsOnce, "quick/twice.test.ts": failsTwice };
  const chosen = await runFiles(files, ["--project", "quick", "quick/once"]);
  expect([chosen.flaky.length, chosen.last, chosen.status]).toEqual([1, "1 passed, 0 failed", 0]);
  const named = await runFiles(files, ["-t", "right", "quick/twice"]);
  expect([named.last, named.status]).toEqual(["1 passed, 0 failed", 1]);
  const none = await runFiles(files, ["nowhere"]);
  expect([none.last, none.status]).toEqual(["0 passed, 0 failed", 1]);
});
