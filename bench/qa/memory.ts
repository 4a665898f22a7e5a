import { setInterval } from "node:timers";
import { memoryOfChromium } from "./processes.ts";

/** Watches how much Chromium takes below a process; `stop` gives the most that was seen, in MiB. */
export function watchChromium(root: number): { stop(): number } {
  let most = 0;
  const timer = setInterval(() => {
    most = Math.max(most, memoryOfChromium(root));
  }, 250);
  return {
    stop() {
      clearInterval(timer);
      return most;
    },
  };
}
