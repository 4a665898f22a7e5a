import { readdirSync, readFileSync } from "node:fs";

/** Clock ticks per second on Linux (`getconf CLK_TCK`). */
const ticksPerSecond = 100;
const intervalMs = 50;

/** The processor time of all processes below this one. */
export interface ProcessorTime {
  /** So far, in seconds. */
  seconds(): number;
  stop(): void;
}

interface ProcessInfo {
  parent: number;
  /** Of its own threads. */
  ticks: number;
  startedAt: string;
}

/** Reads one process (proc_pid_stat(5)); undefined if it has ended. */
function readProcess(pid: number): ProcessInfo | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const ticks = Number(fields[11]) + Number(fields[12]);
    return { parent: Number(fields[1]), ticks, startedAt: fields[19] ?? "" };
  } catch {
    return undefined;
  }
}

/**
 * Watches all processes below this one. A sandbox is killed with all that is in it, so its time is in
 * nobody's sum of ended children: every process is looked at 20 times a second instead.
 */
export function watchProcessorTime(): ProcessorTime {
  const startedAt = new Map([[process.pid, readProcess(process.pid)?.startedAt]]);
  const ticks = new Map<string, number>();
  const look = () => {
    const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
    // Parents come before their children, except for the few after a wrap-around of ids.
    for (const pid of pids.map(Number)) {
      const info = readProcess(pid);
      if (info === undefined || pid === process.pid) continue;
      const isKnown = startedAt.get(pid) === info.startedAt;
      if (!isKnown && !startedAt.has(info.parent)) continue;
      startedAt.set(pid, info.startedAt);
      ticks.set(`${pid} ${info.startedAt}`, info.ticks);
    }
  };
  const timer = setInterval(look, intervalMs);
  timer.unref();
  return {
    seconds() {
      look();
      return [...ticks.values()].reduce((sum, each) => sum + each, 0) / ticksPerSecond;
    },
    stop: () => clearInterval(timer),
  };
}
