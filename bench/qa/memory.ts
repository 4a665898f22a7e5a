import { setInterval } from "node:timers";
import { memoryOfChromium } from "./processes.ts";

/** Watches Chromium's memory below a process; `stop` returns the maximum, in MiB. */
export function watchChromium(root: number): { stop(): number } {
  let max = 0;
  const timer = setInterval(() => {
    max = Math.max(max, memoryOfChromium(root));
  }, 250);
  return {
    stop() {
      clearInterval(timer);
      return max;
    },
  };
}
