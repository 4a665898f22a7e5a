import { readFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import { watchProcesses } from "./process-watch.ts";

const ticksPerSecond = 100;

/** What else a machine did while something was measured. */
export interface Load {
  /** How many processors other programs used on average. */
  others: number;
  processors: number;
  /** The load average of the minute before and of the last minute. */
  before: number;
  after: number;
}

/** Processor time of the whole machine so far, in seconds. */
function busySeconds(): number {
  const [line = ""] = readFileSync("/proc/stat", "utf8").split("\n");
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] = line
    .split(/\s+/)
    .slice(1)
    .map(Number);
  return (user + nice + system + irq + softirq) / ticksPerSecond;
}

/** Starts measuring what processes do that aren't below this one; `stop` returns it. */
export function watchLoad(): { stop(): Load } {
  const processes = watchProcesses();
  const [busy, started, [before = 0]] = [busySeconds(), performance.now(), loadavg()];
  return {
    stop() {
      const seconds = (performance.now() - started) / 1000;
      const others = (busySeconds() - busy - processes.cpuSeconds()) / seconds;
      processes.stop();
      const [after = 0] = loadavg();
      return { others: Math.max(0, others), processors: availableParallelism(), before, after };
    },
  };
}
