/** A test and its result. */
export interface TestCase {
  /** The titles of its suites, followed by its own. */
  name: string;
  outcome: "passed" | "failed" | "skipped";
  /** The first line of its first failure; empty unless it failed. */
  message: string;
}

/** A test file and its result. */
export interface FileResult {
  /** Absolute. */
  file: string;
  /**
   * An error outside its tests: while it was collected, in a hook, or because its process ended.
   */
  error: string | null;
  tests: TestCase[];
  /** From loading the file to the end of its last hook. */
  seconds: number;
}

/** The results of one run of Vitest. */
export interface RunReport {
  files: FileResult[];
  /** Errors that came from no known file. */
  unattributed: string[];
}

/** The failed tests of a file, and the file itself as one more if it failed otherwise. */
export function failuresOf(file: FileResult): { name: string; message: string }[] {
  const failed = file.tests.filter((test) => test.outcome === "failed");
  return file.error === null ? failed : [...failed, { name: "(the file)", message: file.error }];
}

export interface Summary {
  passed: number;
  failed: number;
  skipped: number;
  /** Tests that failed at first and passed when their file ran alone. */
  flaky: { file: string; name: string; message: string }[];
}

/**
 * Counts the results of a run and of the second run of its failed files, whose results count. A
 * file that crashed or couldn't be collected is one failure, and so is each error that came from no
 * file.
 */
export function summarize(first: RunReport, second: RunReport | null): Summary {
  const again = new Map(second?.files.map((file) => [file.file, file]));
  const summary: Summary = { passed: 0, failed: 0, skipped: 0, flaky: [] };
  for (const file of first.files) {
    const last = again.get(file.file) ?? file;
    const failures = failuresOf(last);
    summary.failed += failures.length;
    summary.passed += last.tests.filter((test) => test.outcome === "passed").length;
    summary.skipped += last.tests.filter((test) => test.outcome === "skipped").length;
    if (last === file) continue;
    const failedTwice = new Set(failures.map(({ name }) => name));
    for (const { name, message } of failuresOf(file)) {
      if (!failedTwice.has(name)) summary.flaky.push({ file: file.file, name, message });
    }
  }
  summary.failed += first.unattributed.length + (second?.unattributed.length ?? 0);
  return summary;
}

/** The slowest files, slowest first. */
export function slowestFiles({ files }: RunReport, count: number): FileResult[] {
  return files.toSorted((a, b) => b.seconds - a.seconds).slice(0, count);
}
