import { readdirSync, readFileSync } from "node:fs";
import { setInterval } from "node:timers";

interface Process {
  pid: number;
  parent: number;
  name: string;
}

function processes(): Process[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      const end = stat.lastIndexOf(")");
      const parent = Number(stat.slice(end + 2).split(" ")[1]);
      return [{ pid: Number(name), parent, name: stat.slice(stat.indexOf("(") + 1, end) }];
    } catch {
      return [];
    }
  });
}

/** What a process has of its own, and its share of what it has together with others, in MiB. */
function shareOf(pid: number): number {
  try {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
    return Number(/^Pss:\s+(\d+) kB/m.exec(text)?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

/** The processes of Chromium below one, all together, in MiB. */
function chromiumBelow(root: number): number {
  const all = processes();
  const below = new Set([root]);
  // Parents come before their children but for the few whose numbers began anew.
  for (const { pid, parent } of all) if (below.has(parent)) below.add(pid);
  const found = all.filter(({ pid, name }) => below.has(pid) && /chrom/i.test(name));
  return found.reduce((sum, { pid }) => sum + shareOf(pid), 0);
}

/** Watches how much Chromium takes below a process; `stop` gives the most that was seen, in MiB. */
export function watchChromium(root: number): { stop(): number } {
  let max = 0;
  const timer = setInterval(() => {
    max = Math.max(max, chromiumBelow(root));
  }, 250);
  return {
    stop() {
      clearInterval(timer);
      return max;
    },
  };
}
