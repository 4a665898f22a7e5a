import { makeWorkerPool } from "../../packages/server/src/platform/worker-pool.ts";

/** The worker pool of a test file: its threads start when needed and keep no process alive. */
export const testWorkers = makeWorkerPool();
