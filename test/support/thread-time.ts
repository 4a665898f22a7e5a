import { readFileSync } from "node:fs";

/**
 * The processor time that the main thread of a process has taken, ms: what holds its event loop up,
 * whatever else the machine does (Linux, /proc/PID/task/TID/schedstat).
 */
export function mainThreadMs(pid: number): number {
  const [nanoseconds = ""] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ");
  return Number(nanoseconds) / 1e6;
}

/** What this piece of work takes on the machine that the bounds were written on, ms. */
const defaultCalibration = 30;

/** How much slower this machine is, now, than the one that bounds of time were written on: at least 1. */
export function slowness(): number {
  const text = JSON.stringify(Array.from({ length: 20_000 }, (_, at) => ({ at, name: `n${at}` })));
  const best = Math.min(
    ...Array.from({ length: 5 }, () => {
      const before = process.cpuUsage();
      JSON.stringify(JSON.parse(text));
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    }),
  );
  return Math.max(1, best / defaultCalibration);
}
