import { writeFileSync } from "node:fs";
import type { TestModule } from "vitest/node";
import type { FileResult, RunReport, TestCase } from "./testing/report.ts";

interface Failure {
  message: string;
  VITEST_TEST_PATH?: unknown;
  VITEST_TEST_NAME?: unknown;
}

const crashMessage = "The process ended before the file was done.";

const firstLine = (text: string) => text.split("\n", 1)[0] ?? "";

function readTest(test: {
  fullName: string;
  result(): { state: string; errors?: readonly Failure[] | undefined };
}): TestCase {
  const { state, errors = [] } = test.result();
  const outcome = state === "passed" || state === "skipped" ? state : "failed";
  const message = errors[0]?.message ?? "The process ended during the test.";
  return { name: test.fullName, outcome, message: outcome === "failed" ? firstLine(message) : "" };
}

/**
 * A file's own failure, outside its tests: an error while it was collected or in a hook of the file,
 * or the end of its process, after which Vitest leaves the file as it was: pending.
 */
function readFile(module: TestModule): FileResult {
  const state = module.state();
  const [error] = module.errors();
  const crashed = state === "pending" || state === "queued";
  const message = error?.message ?? (crashed ? crashMessage : null);
  const { collectDuration, setupDuration, duration } = module.diagnostic();
  return {
    file: module.moduleId,
    error: message === null ? null : firstLine(message),
    // The unreported tests of a crashed process are one failure, of the file itself.
    tests: crashed ? [] : [...module.children.allTests()].map(readTest),
    seconds: (collectDuration + setupDuration + duration) / 1000,
  };
}

/**
 * Assigns errors outside of tests to the file they came from; returns those that came from no file.
 */
function attribute(files: FileResult[], errors: readonly Failure[]): string[] {
  // Vitest says that a worker died, not which one: its file is the one without a result.
  const hasCrashed = files.some((one) => one.error === crashMessage);
  const unknown: string[] = [];
  for (const { message, VITEST_TEST_PATH: path } of errors) {
    const file = files.find((one) => one.file === path);
    if (file) file.error ??= firstLine(message);
    else if (!hasCrashed || !message.startsWith("[vitest-pool]")) unknown.push(firstLine(message));
  }
  return unknown;
}

/** A Vitest reporter that writes a RunReport to the file in TEST_REPORT. */
// oxlint-disable-next-line import/no-default-export -- how Vitest finds a reporter
export default class TestReporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly Failure[]): void {
    const files = modules.map(readFile);
    const report: RunReport = { files, unattributed: attribute(files, errors) };
    writeFileSync(process.env["TEST_REPORT"] ?? "test-report.json", JSON.stringify(report));
  }
}
