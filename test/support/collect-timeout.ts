import { writeSync } from "node:fs";
import { beforeAll, inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** The maximum time to collect a test file, in ms. */
    collectTimeoutMs: number;
  }
}

// Vitest waits without end for a file that never comes to its tests. The end of its process is a
// failure of this file, and the others go on.
const timeoutMs = inject("collectTimeoutMs");
const timer = setTimeout(() => {
  // At once, and past Vitest, which would still hold it at the end.
  writeSync(2, `A test file was not collected within ${timeoutMs} ms.\n`);
  process.kill(process.pid, "SIGKILL");
}, timeoutMs);
beforeAll(() => clearTimeout(timer));
