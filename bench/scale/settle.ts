import { setTimeout as delay } from "node:timers/promises";
import type { ProcessWatch } from "../support/process-watch.ts";

/** Below this, in processors, they only look for work. */
const quietShare = 0.3;

/** Waits until the processes below this one have little to do, for `maxSeconds` at most. */
export async function settle(processes: ProcessWatch, maxSeconds: number): Promise<void> {
  let before = processes.cpuSeconds();
  for (let second = 0; second < maxSeconds; second += 1) {
    await delay(1000);
    const now = processes.cpuSeconds();
    if (now - before < quietShare) return;
    before = now;
  }
}
