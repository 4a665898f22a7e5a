/** A test and what became of it. */
export interface TestCase {
  /** The titles of its suites and its own. */
  name: string;
  outcome: "passed" | "failed" | "skipped";
  /** The first line of its first failure; empty unless it failed. */
  message: string;
}

/** A test file and what became of it. */
export interface FileResult {
  /** Absolute. */
  file: string;
  /** What went wrong outside its tests: in collecting it, in a hook, by the end of its process. */
  error: string | null;
  tests: TestCase[];
  /** From reading the file to the end of its last hook. */
  seconds: number;
}

/** What one run of Vitest has shown. */
export interface RunReport {
  files: FileResult[];
  /** Errors that came from no known file. */
  unattributed: string[];
}

/** The tests of a file that failed, and the file itself as one more where something else did. */
export function failuresOf(file: FileResult): { name: string; message: string }[] {
  const failed = file.tests.filter((test) => test.outcome === "failed");
  return file.error === null ? failed : [...failed, { name: "(the file)", message: file.error }];
}

export interface Summary {
  passed: number;
  failed: number;
  skipped: number;
  /** What failed at first and passed when it was run alone. */
  flaky: { file: string; name: string; message: string }[];
}

/**
 * Counts what a run and the run of its failed files alone have shown: of a file that was run again
 * the second result counts. A file that crashed, or that could not be collected, is one failure, and
 * so is each error that came from no file.
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

/** The files that took longest, the slowest first. */
export function slowestFiles({ files }: RunReport, count: number): FileResult[] {
  return files.toSorted((a, b) => b.seconds - a.seconds).slice(0, count);
}
