import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { parseCLI } from "vitest/node";
import { nodeBinary, platformRoot } from "../../packages/server/src/platform/paths.ts";
import { failuresOf, type RunReport, slowestFiles, type Summary, summarize } from "./report.ts";

/**
 * If more files fail than this, it isn't chance, and running them one by one would take too long.
 */
const maxRepeatedFiles = 20;

/** How many of the slowest files are listed if there are more than twice as many. */
const slowestCount = 10;

export interface RunTestsOptions {
  /** Where vitest.config.ts is. */
  root: string;
  /** Arguments for Vitest: paths and options. */
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  /** A folder for the reports. */
  folder: string;
  /** Prints a line. */
  print(line: string): void;
}

interface Run {
  report: RunReport;
  /** Vitest's exit code. */
  status: number | null;
}

/** Without a report, Vitest itself has failed. */
function readReport(file: string): RunReport {
  if (!existsSync(file)) return { files: [], unattributed: ["Vitest ended without a report."] };
  return JSON.parse(readFileSync(file, "utf8")) as RunReport;
}

function runVitest(options: RunTestsOptions, args: readonly string[]): Run {
  const { root, env, folder } = options;
  const file = join(folder, "report.json");
  rmSync(file, { force: true });
  const command = [
    join(platformRoot, "node_modules/vitest/vitest.mjs"),
    "run",
    "--reporter=default",
    `--reporter=${join(platformRoot, "scripts/test-reporter.ts")}`,
    ...args,
  ];
  const { status } = spawnSync(nodeBinary, command, {
    cwd: root,
    stdio: "inherit",
    env: { ...env, TEST_REPORT: file },
  });
  return { report: readReport(file), status };
}

/** The paths among arguments for Vitest. */
export function pathsOf(args: readonly string[]): string[] {
  return [...parseCLI(["vitest", "run", ...args]).filter];
}

/** The options among the arguments, without the paths. */
export function optionsOf(args: readonly string[]): string[] {
  const options = [...args];
  for (const path of pathsOf(args)) options.splice(options.lastIndexOf(path), 1);
  return options;
}

function printFailures(
  options: RunTestsOptions,
  summary: Summary,
  last: readonly RunReport[],
): void {
  const { root, print } = options;
  for (const { file, name, message } of summary.flaky) {
    print(`Flaky: ${relative(root, file)} > ${name}: ${message}`);
  }
  const results = new Map(last.flatMap((report) => report.files).map((one) => [one.file, one]));
  for (const result of results.values()) {
    for (const { name, message } of failuresOf(result)) {
      print(`Failed: ${relative(root, result.file)} > ${name}: ${message}`);
    }
  }
  for (const message of last.flatMap((report) => report.unattributed)) print(`Failed: ${message}`);
}

/** Lists the slowest files of a long run. */
function printSlowest({ root, print }: RunTestsOptions, report: RunReport): void {
  if (report.files.length <= slowestCount * 2) return;
  print("\nSlowest files:");
  for (const { file, seconds } of slowestFiles(report, slowestCount)) {
    print(`${seconds.toFixed(1).padStart(7)} s  ${relative(root, file)}`);
  }
}

/**
 * Runs the tests. Files that fail are run once more, one at a time, when the others are done: what
 * passes then is said to be flaky, and what fails again fails the run, as skipped tests do. The last
 * line is the count, `N passed, N failed`. Gives the exit code.
 */
export function runTests(options: RunTestsOptions): number {
  const { args, print } = options;
  const first = runVitest(options, args);
  const failed = first.report.files.filter((file) => failuresOf(file).length > 0);
  const files = failed.map(({ file }) => file);
  let second: Run | null = null;
  if (files.length > 0 && files.length <= maxRepeatedFiles) {
    print(`\nRunning again, one at a time: ${files.length} of ${first.report.files.length} files.`);
    second = runVitest(options, [...optionsOf(args), "--no-file-parallelism", ...files]);
  }
  printSlowest(options, first.report);
  const reports = second ? [first.report, second.report] : [first.report];
  const summary = summarize(first.report, second?.report ?? null);
  printFailures(options, summary, reports);
  if (summary.skipped > 0) print(`${summary.skipped} tests were skipped.`);
  print(`${summary.passed} passed, ${summary.failed} failed`);
  const status = (second ?? first).status;
  return status === 0 && summary.failed === 0 && summary.skipped === 0 ? 0 : 1;
}
