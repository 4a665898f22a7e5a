import { readdirSync, readFileSync } from "node:fs";

interface Process {
  pid: number;
  parent: number;
  name: string;
  /** Of the process and its children that have ended, in clock ticks. */
  ticks: number;
}

/** Clock ticks per second on Linux (`getconf CLK_TCK`). */
const ticksPerSecond = 100;

/** Reads one process (proc_pid_stat(5)); undefined if it has ended. */
function readProcess(pid: number): Process[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const end = stat.lastIndexOf(")");
    const fields = stat.slice(end + 2).split(" ");
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return [
      { pid, parent: Number(fields[1]), name: stat.slice(stat.indexOf("(") + 1, end), ticks },
    ];
  } catch {
    return [];
  }
}

/** The Chromium processes below a process. */
function chromiumBelow(root: number): Process[] {
  const all = readdirSync("/proc").flatMap((name) =>
    /^\d+$/.test(name) ? readProcess(Number(name)) : [],
  );
  const below = new Set([root]);
  // A child can have a smaller ID than its parent, because IDs are used again.
  for (let known = 0; known < below.size;) {
    known = below.size;
    for (const { pid, parent } of all) if (below.has(parent)) below.add(pid);
  }
  return all.filter(({ pid, name }) => below.has(pid) && /chrom/i.test(name));
}

/** The memory of a process, including its share of shared memory, in MiB. */
function shareOf(pid: number): number {
  try {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
    return Number(/^Pss:\s+(\d+) kB/m.exec(text)?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

/** The memory of Chromium below a process, in MiB. */
export function memoryOfChromium(root: number): number {
  return chromiumBelow(root).reduce((sum, { pid }) => sum + shareOf(pid), 0);
}

/**
 * The CPU time of Chromium below a process so far, in seconds, including processes that have ended
 * while Chromium runs.
 */
export function secondsOfChromium(root: number): number {
  return chromiumBelow(root).reduce((sum, { ticks }) => sum + ticks, 0) / ticksPerSecond;
}
