import { readdirSync } from "node:fs";
import { lstat, readdir, statfs } from "node:fs/promises";
import { setPriority } from "node:os";
import { join } from "node:path";
import { descriptorMemory, processTreeOf } from "vitrine-qa/src/system/tree-memory.ts";
import { lowerTreePriority } from "../../../platform/process-tree.ts";
import type { SandboxBounds } from "./sandbox-bounds.ts";

const intervalMs = 100;
const maxInodes = 200_000;

/** A build that is like any other ends long before and has fewer processes: it keeps its priority. */
const typicalBuildMs = 10_000;
const typicalProcesses = 11;
const niceness = 10;

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

/**
 * Says whether folders grow past their bounds, with files that were deleted from them and are still
 * open; looks into them only after the disk lost that much.
 */
async function makeOutputWatch(folders: [string, ...string[]], maxBytes: number) {
  const [dir] = folders;
  let before = await statfs(dir);
  return async (pids: readonly number[]): Promise<boolean> => {
    const now = await statfs(dir);
    const lostBytes = (before.bfree - now.bfree) * now.bsize;
    if (lostBytes <= maxBytes && before.ffree - now.ffree <= maxInodes) return false;
    before = now;
    const uses = await Promise.all(folders.map(folderUse));
    const bytes = uses.reduce((sum, use) => sum + use.bytes, descriptorMemory(pids).bytes);
    return bytes > maxBytes || uses.reduce((sum, use) => sum + use.files, 0) > maxInodes;
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
  /** Where it can write: below its own folder, on one file system. */
  folders: [string, ...string[]];
  bounds: SandboxBounds;
  /** Called once with a sentence that says which bound was passed. */
  onExceeded(reason: string): void;
}

/**
 * Looks ten times a second at how many processes a build has and what it writes; its memory has a watch
 * of its own. The function that comes back ends this one.
 */
export async function startWatchdog(options: WatchdogOptions): Promise<() => void> {
  const { bounds } = options;
  const outputExceeded = await makeOutputWatch(options.folders, bounds.outputBytes);
  const started = performance.now();
  let stopped = false;
  let isSessionLowered = false;
  const check = async (): Promise<string | undefined> => {
    const tree = processTreeOf(options.pid);
    const pids = tree.map(({ id }) => id);
    if (pids.length > typicalProcesses || performance.now() - started > typicalBuildMs) {
      lowerPriority(pids);
      if (!isSessionLowered) void lowerTreePriority(options.pid, niceness);
      isSessionLowered = true;
    }
    const threads = tree.reduce((sum, process) => sum + process.threads, 0);
    if (threads > bounds.processes * 2) return "started too many processes";
    if (!(await outputExceeded(pids))) return undefined;
    return `wrote more than ${Math.round(bounds.outputBytes / 2 ** 20)} MiB`;
  };
  let timer: NodeJS.Timeout;
  const tick = async () => {
    const reason = await check().catch(() => undefined);
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
