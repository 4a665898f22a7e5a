import { flushCompileCache } from "node:module";

/** Ends this process at once. Its compiled code is kept before, for the next one to start sooner. */
export function killSelf(): void {
  flushCompileCache();
  process.kill(process.pid, "SIGKILL");
}
