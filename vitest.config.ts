import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { findTestNeeds } from "./scripts/testing/test-needs.ts";

const root = import.meta.dirname;

/** The files of tests beside the code of the product, by whether they start programs. */
const unitFiles = Object.groupBy(
  findTestNeeds(root, ["packages/{server,qa}/src/**/*.test.ts"]),
  ([, { programs }]) => (programs ? "programs" : "unit"),
);
const filesOf = (kind: "programs" | "unit") => (unitFiles[kind] ?? []).map(([file]) => file);

const common = {
  /** As long as is waited for anything else, in ms: a busy machine has long moments. */
  expect: { poll: { timeout: 20_000 } },
  // Vitest's own choice leaves one processor free, which is half of a small machine. The tests with
  // processes wait for them most of the time, and each has its own ports and folders: with one worker
  // more than processors, those were in use for 58 % of a whole run.
  maxWorkers: availableParallelism() + 2,
  testTimeout: 60_000,
  hookTimeout: 60_000,
  provide: { collectTimeoutMs: 180_000 },
  setupFiles: ["test/support/collect-timeout.ts"],
};

/**
 * To start a program, such as git, copies the tables of all memory that a process has touched. Files
 * share a process all the same: to start one and import the server takes longer than these copies.
 */
const smallMemory = ["--max-semi-space-size=2"];

/**
 * For the same reason, glibc keeps one heap instead of one for each thread, and in large pages, whose
 * tables are short: starting programs then takes two thirds of the kernel's time.
 */
const compactMemory = { MALLOC_ARENA_MAX: "1", GLIBC_TUNABLES: "glibc.malloc.hugetlb=1" };

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...common,
          name: "console",
          include: [
            "packages/console/src/**/*.test.{ts,tsx}",
            "scripts/**/*.test.ts",
            "test/faults/**/*.test.ts",
            "bench/{growth,report,support}/*.test.ts",
          ],
          // No module keeps state of its own: a process for each file would only read them all again.
          isolate: false,
        },
      },
      {
        // No module of the product keeps state of its own, either.
        test: { ...common, name: "unit", include: filesOf("unit"), isolate: false },
      },
      {
        test: {
          ...common,
          name: "programs",
          include: filesOf("programs"),
          isolate: false,
          execArgv: smallMemory,
          env: compactMemory,
        },
      },
      {
        test: {
          ...common,
          name: "e2e",
          include: ["test/e2e/**/*.test.ts"],
          // As above: reading the modules again for each file took a minute of processor time.
          isolate: false,
          setupFiles: [...common.setupFiles, "test/support/several-nodes.ts"],
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
    ],
  },
});
