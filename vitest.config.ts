import { defineConfig } from "vitest/config";

const common = {
  /** As long as is waited for anything else, in ms: a busy machine has long moments. */
  expect: { poll: { timeout: 20_000 } },
  // Vitest's own choice leaves one processor free, which is half of a small machine. The tests with
  // processes wait for them most of the time, and each has its own ports and folders.
  maxWorkers: 2,
  testTimeout: 60_000,
  hookTimeout: 60_000,
  provide: { collectTimeoutMs: 180_000 },
  setupFiles: ["test/support/collect-timeout.ts"],
};

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...common,
          name: "console",
          include: [
            "console/src/**/*.test.{ts,tsx}",
            "scripts/**/*.test.ts",
            "test/faults/**/*.test.ts",
          ],
          // No module keeps state of its own: a process for each file would only read them all again.
          isolate: false,
        },
      },
      {
        test: {
          ...common,
          name: "unit",
          include: ["src/**/*.test.ts"],
          // To start a program, such as git, copies the tables of all memory that a process has touched.
          execArgv: ["--max-semi-space-size=2"],
        },
      },
      {
        test: {
          ...common,
          name: "e2e",
          include: ["test/e2e/**/*.test.ts"],
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
    ],
  },
});
