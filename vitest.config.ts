import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          include: ["src/**/*.test.ts", "console/src/**/*.test.{ts,tsx}", "scripts/**/*.test.ts"],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          // Vitest's own choice leaves one processor free, which is half of a small machine.
          maxWorkers: 2,
        },
      },
      {
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.ts"],
          testTimeout: 180_000,
          hookTimeout: 180_000,
          // They wait for other processes most of the time, and each has its own ports and folders.
          maxWorkers: 2,
        },
      },
    ],
  },
});
