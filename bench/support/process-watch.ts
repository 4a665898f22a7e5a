import { readFileSync } from "node:fs";

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
    return { ticks, startedAt: fields[19] ?? "", rssBytes };
  } catch {
    return undefined;
  }
}

/** The processes that the first thread of one has started, which is where Node does that. */
function childrenOf(pid: number): number[] {
  try {
    const list = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
    return list.split(" ").filter(Boolean).map(Number);
  } catch {
    return [];
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
  const ticks = new Map<string, number>();
  let program: string | undefined;
  let peakBytes = 0;
  // Reading only the processes below this one takes a tenth of reading all of a busy machine.
  const look = () => {
    const waiting = childrenOf(process.pid);
    for (let pid = waiting.pop(); pid !== undefined; pid = waiting.pop()) {
      const info = readProcess(pid);
      if (info === undefined) continue;
      waiting.push(...childrenOf(pid));
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
