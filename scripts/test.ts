import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { freemem, tmpdir } from "node:os";
import { join } from "node:path";
import { platformRoot } from "../packages/server/src/platform/paths.ts";
import { type SystemTool, systemTools } from "../packages/server/src/platform/system-tools.ts";
import { ensureConsole } from "./console-build.ts";
import { bundleTestedProcesses } from "./package/process-bundle.ts";
import { nodeCount, selectNodesTests } from "./testing/nodes-mode.ts";
import { optionsOf, pathsOf, runTests } from "./testing/run-tests.ts";
import { findTestNeeds, type TestNeeds } from "./testing/test-needs.ts";
import { ensureTools } from "./tools.ts";

/** The tests can use Chromium alone, too, but take half as long again. */
const quickChromium: SystemTool = {
  name: "chromium-headless-shell",
  binaries: ["chromium-headless-shell"],
  package: "chromium-headless-shell",
  need: "test",
  purpose: "lets the tests end sooner",
};

/**
 * In bytes: how much memory must be free to keep the tests' files in it; several times what they
 * need.
 */
const roomForFiles = 4 * 1024 ** 3;

/**
 * The folder for the tests' files: in memory if there is enough, otherwise on disk. Tests
 * constantly create and delete small files, which takes a third of the time of many tests on disk.
 */
function filesFolder(): string {
  const memory = "/dev/shm";
  const mounts = existsSync("/proc/self/mounts") ? readFileSync("/proc/self/mounts", "utf8") : "";
  const [, , type, options] = (/^\S+ \/dev\/shm .*$/m.exec(mounts)?.[0] ?? "").split(" ");
  // Tests run programs that they have written.
  if (process.env["TMPDIR"] || type !== "tmpfs" || /\bnoexec\b/.test(options ?? ""))
    return tmpdir();
  const { bavail, bsize } = statfsSync(memory);
  return Math.min(bavail * bsize, freemem()) > roomForFiles ? memory : tmpdir();
}

/** Stops the PostgreSQL that the tests shared, if any, and waits until it has ended. */
function endPostgres(shelf: string): void {
  const file = join(shelf, "postgres/data/postmaster.pid");
  if (!existsSync(file)) return;
  process.kill(Number(readFileSync(file, "utf8").split("\n")[0]), "SIGINT");
  const deadline = Date.now() + 10_000;
  while (existsSync(file) && Date.now() < deadline) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
  }
}

/** Every test file, as in vitest.config.ts. */
const testFiles = [
  "{packages/{server,qa,console}/src,scripts,test}/**/*.test.{ts,tsx}",
  "bench/{growth,report,support}/*.test.ts",
];

/** Whether the paths among the arguments select a file; all files if there are none. */
function makeIsChosen(args: readonly string[]): (file: string) => boolean {
  const paths = pathsOf(args).map((path) => path.replace(/^\.\//, ""));
  return (file) =>
    paths.length === 0 || paths.some((path) => join(platformRoot, file).includes(path));
}

/** What the selected test files need together. */
function neededBy(args: readonly string[]): TestNeeds {
  const isChosen = makeIsChosen(args);
  const chosen = [...findTestNeeds(platformRoot, testFiles)].filter(([file]) => isChosen(file));
  const has = (need: keyof TestNeeds) => chosen.some(([, needs]) => needs[need]);
  return {
    programs: has("programs"),
    browser: has("browser"),
    postgres: has("postgres"),
    instance: has("instance"),
  };
}

/**
 * Prepares what the selected tests need; `false` if something is missing and can't be installed.
 */
async function prepare(needs: TestNeeds | null): Promise<boolean> {
  if (!needs?.programs) return true;
  const missing = await ensureTools(systemTools);
  if (missing.length > 0) return false;
  if (needs.browser) await ensureTools([quickChromium]);
  if (needs.browser || needs.instance) ensureConsole();
  return true;
}

/** The projects of vitest.config.ts whose tests start no system programs. */
const fastProjects = ["--project", "console", "--project", "unit"];

/**
 * The arguments for end-to-end tests whose instances are several nodes; prints what is left out. `null`
 * if nothing remains.
 */
function nodesArguments(args: readonly string[]): string[] | null {
  const { run, leftOut, withoutInstance } = selectNodesTests(platformRoot, makeIsChosen(args));
  for (const { file, reason } of leftOut) console.log(`Left out: ${file}: ${reason}`);
  if (withoutInstance > 0) console.log(`Left out: ${withoutInstance} files that start no instance`);
  const options = optionsOf(args);
  // Each has the processes of three instances.
  if (!options.some((option) => option.startsWith("--maxWorkers"))) options.push("--maxWorkers=2");
  return run.length === 0 ? null : [...options, ...run];
}

/**
 * Runs the tests; arguments go to Vitest, but for two: `--fast` leaves out what starts programs, a
 * browser or PostgreSQL, and `--nodes` runs the end-to-end tests with several nodes for each instance.
 * Files that fail are run once more, alone, at the end. The last line is the count, `N passed, N failed`.
 */
async function main(): Promise<number> {
  const isOnNodes = process.argv.includes("--nodes");
  const named = process.argv.slice(2).filter((arg) => arg !== "--nodes");
  const given = isOnNodes ? nodesArguments(named) : named;
  if (given === null) return 1;
  const needs = given.includes("--fast") ? null : neededBy(given);
  if (!(await prepare(needs))) return 1;
  const args = given.flatMap((arg) => (arg === "--fast" ? fastProjects : [arg]));
  const folder = mkdtempSync(join(filesFolder(), "vitrine-test-"));
  const shelf = join(folder, "shelf");
  // PostgreSQL's own user needs access to the folder.
  chmodSync(folder, 0o755);
  try {
    if (needs?.instance) await bundleTestedProcesses(platformRoot, join(shelf, "processes"));
    // Most of a test process's start is compiling the same sources again.
    const env = {
      ...process.env,
      NODE_COMPILE_CACHE: join(folder, "compile-cache"),
      TEST_SHELF: shelf,
      TMPDIR: folder,
      ...(isOnNodes && { TEST_NODES: String(nodeCount) }),
    };
    return runTests({ root: platformRoot, args, env, folder, print: console.log });
  } finally {
    endPostgres(shelf);
    rmSync(folder, { recursive: true, force: true });
  }
}

process.exitCode = await main();
