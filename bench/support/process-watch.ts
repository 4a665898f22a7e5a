import { readdirSync, readFileSync } from "node:fs";

/** Clock ticks per second on Linux (`getconf CLK_TCK`). */
const ticksPerSecond = 100;
const bytesPerPage = 4096;
const intervalMs = 50;

/** Watches all processes below this one. */
export interface ProcessWatch {
  /** Processor time of all of them so far, in seconds. */
  cpuSeconds(): number;
  /** From now on, the peak is that of processes whose command line contains this. */
  watchMemory(program: string): void;
  /** The most memory (RSS) that one of those processes has had since then, in MiB. */
  peakMiB(): number;
  stop(): void;
}

interface ProcessInfo {
  parent: number;
  /** Of its own threads. */
  ticks: number;
  startedAt: string;
  rssBytes: number;
}

/** Reads one process (proc_pid_stat(5)); undefined if it has ended. */
function readProcess(pid: number): ProcessInfo | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const ticks = Number(fields[11]) + Number(fields[12]);
    const rssBytes = Number(fields[21]) * bytesPerPage;
    return { parent: Number(fields[1]), ticks, startedAt: fields[19] ?? "", rssBytes };
  } catch {
    return undefined;
  }
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch {
    return "";
  }
}

/**
 * Starts watching. A sandbox is killed with all that is in it, so its time is in nobody's sum of ended
 * children: every process is looked at 20 times a second instead.
 */
export function watchProcesses(): ProcessWatch {
  const startedAt = new Map([[process.pid, readProcess(process.pid)?.startedAt]]);
  const ticks = new Map<string, number>();
  let program: string | undefined;
  let peakBytes = 0;
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
      if (program === undefined || info.rssBytes <= peakBytes) continue;
      if (commandOf(pid).includes(program)) peakBytes = info.rssBytes;
    }
  };
  const timer = setInterval(look, intervalMs);
  timer.unref();
  return {
    cpuSeconds() {
      look();
      return [...ticks.values()].reduce((sum, each) => sum + each, 0) / ticksPerSecond;
    },
    watchMemory(wanted) {
      program = wanted;
      peakBytes = 0;
    },
    peakMiB: () => peakBytes / 2 ** 20,
    stop: () => clearInterval(timer),
  };
}
