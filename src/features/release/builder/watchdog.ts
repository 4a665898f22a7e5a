import { readdirSync, readFileSync } from "node:fs";
import { lstat, readdir, statfs } from "node:fs/promises";
import { setPriority } from "node:os";
import { join } from "node:path";
import type { SandboxBounds } from "./sandbox-parts.ts";

const intervalMs = 100;
const pageBytes = 4096;
const maxInodes = 200_000;

/** A build that is like any other ends long before and has fewer processes: it keeps its priority. */
const usualMs = 10_000;
const usualProcesses = 11;
const niceness = 10;

interface TreeUse {
  pids: number[];
  memoryBytes: number;
  threads: number;
}

interface ProcessStat {
  parent: number;
  threads: number;
}

function readStat(pid: string): ProcessStat | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { parent: Number(fields[1]), threads: Number(fields[17]) };
  } catch {
    return undefined;
  }
}

/** Memory that a process shares with nobody: resident pages without those of files and shared memory. */
function ownMemory(pid: number): number {
  try {
    const [, resident = 0, shared = 0] = readFileSync(`/proc/${pid}/statm`, "latin1")
      .split(" ")
      .map(Number);
    return (resident - shared) * pageBytes;
  } catch {
    return 0;
  }
}

/** What a process and all below it use now. Nothing where there is no /proc. */
function treeUse(root: number): TreeUse {
  let names: string[];
  try {
    names = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  } catch {
    return { pids: [], memoryBytes: 0, threads: 0 };
  }
  const children = new Map<number, number[]>();
  const threads = new Map<number, number>();
  for (const name of names) {
    const stat = readStat(name);
    if (stat === undefined) continue;
    const siblings = children.get(stat.parent);
    if (siblings === undefined) children.set(stat.parent, [Number(name)]);
    else siblings.push(Number(name));
    threads.set(Number(name), stat.threads);
  }
  const tree = [root];
  for (let i = 0; i < tree.length; i += 1) tree.push(...(children.get(tree[i] ?? 0) ?? []));
  return {
    pids: tree,
    memoryBytes: tree.reduce((sum, pid) => sum + ownMemory(pid), 0),
    threads: tree.reduce((sum, pid) => sum + (threads.get(pid) ?? 0), 0),
  };
}

async function folderUse(dir: string): Promise<{ bytes: number; files: number }> {
  const total = { bytes: 0, files: 0 };
  const entries = await readdir(dir, { withFileTypes: true, recursive: true }).catch(() => []);
  for (const entry of entries) {
    total.files += 1;
    const stat = await lstat(join(entry.parentPath, entry.name)).catch(() => undefined);
    total.bytes += (stat?.blocks ?? 0) * 512;
  }
  return total;
}

/** Says whether a folder grows past its bounds; looks into it only after the disk lost that much. */
async function makeOutputWatch(dir: string, maxBytes: number): Promise<() => Promise<boolean>> {
  let before = await statfs(dir);
  return async () => {
    const now = await statfs(dir);
    const lostBytes = (before.bfree - now.bfree) * now.bsize;
    if (lostBytes <= maxBytes && before.ffree - now.ffree <= maxInodes) return false;
    before = now;
    const use = await folderUse(dir);
    return use.bytes > maxBytes || use.files > maxInodes;
  };
}

/** Puts every thread of these processes behind everybody else's; what they start inherits it. */
function lowerPriority(pids: number[]): void {
  for (const pid of pids) {
    try {
      for (const thread of readdirSync(`/proc/${pid}/task`)) setPriority(Number(thread), niceness);
    } catch {
      // It has ended in the meantime.
    }
  }
}

export interface WatchdogOptions {
  /** The outermost process of the build. */
  pid: number;
  outDir: string;
  bounds: SandboxBounds;
  /** Called once with a sentence that says which bound was passed. */
  onExceeded(reason: string): void;
}

/** Looks ten times a second at what a build uses. The function that comes back ends the watch. */
export async function startWatchdog(options: WatchdogOptions): Promise<() => void> {
  const { bounds } = options;
  const outputExceeded = await makeOutputWatch(options.outDir, bounds.outputBytes);
  const started = performance.now();
  let stopped = false;
  const look = async (): Promise<string | undefined> => {
    const use = treeUse(options.pid);
    if (use.pids.length > usualProcesses || performance.now() - started > usualMs) {
      lowerPriority(use.pids);
    }
    const mebibytes = Math.round(bounds.memoryBytes / 2 ** 20);
    if (use.memoryBytes > bounds.memoryBytes) return `used more than ${mebibytes} MiB of memory`;
    if (use.threads > bounds.processes * 2) return "started too many processes";
    if (await outputExceeded()) {
      return `wrote more than ${Math.round(bounds.outputBytes / 2 ** 20)} MiB`;
    }
    return undefined;
  };
  let timer: NodeJS.Timeout;
  const tick = async () => {
    const reason = await look().catch(() => undefined);
    if (stopped) return;
    if (reason === undefined) timer = setTimeout(tick, intervalMs);
    else options.onExceeded(`The build ${reason} and was stopped.`);
  };
  timer = setTimeout(tick, intervalMs);
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}
