import { defineConfig } from "vitest/config";

/** As long as what is waited for elsewhere, in ms: a busy machine has long moments. */
const poll = { timeout: 20_000 };

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          include: ["src/**/*.test.ts", "console/src/**/*.test.{ts,tsx}", "scripts/**/*.test.ts"],
          testTimeout: 60_000,
          expect: { poll },
          hookTimeout: 60_000,
          // Vitest's own choice leaves one processor free, which is half of a small machine.
          maxWorkers: 2,
          // No module keeps state of its own: a process for each file would only read them all again.
          isolate: false,
          // To start a program, such as git, copies the tables of all memory that a process has touched.
          execArgv: ["--max-semi-space-size=2"],
        },
      },
      {
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.ts"],
          testTimeout: 180_000,
          expect: { poll },
          hookTimeout: 180_000,
          // They wait for other processes most of the time, and each has its own ports and folders.
          maxWorkers: 2,
        },
      },
    ],
  },
});
