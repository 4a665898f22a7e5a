import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { type Cgroup, type CgroupParent, findCgroupParent } from "./cgroup.ts";
import { makeCgroup, removeDeadCgroups } from "./cgroup.ts";
import { processTreeOf } from "./tree-memory.ts";
import { watchTreeMemory } from "./tree-watch.ts";

/**
 * How the memory of a sandbox is limited: by a control group, in which the kernel enforces the
 * limit and counts everything, or by watching its processes.
 */
export type MemoryBoundKind = "cgroup v1" | "cgroup v2" | "watched";

/** A program and its arguments. */
interface Command {
  command: string;
  args: string[];
}

/** The memory limit of one sandbox. */
export interface MemoryBound {
  /** Wraps a command so that it runs within the limit. */
  enclose(command: Command): Command;
  /**
   * Calls `onExceeded` once when the process tree of `pid` exceeds the limit. Returns a function
   * that stops watching.
   */
  watch(pid: number, onExceeded: () => void): () => void;
  /** Whether the limit was exceeded, for a program that ended before a watch could notice. */
  wasExceeded(): Promise<boolean>;
  /** Releases its resources. Call it after everything in the sandbox has ended. */
  remove(): Promise<void>;
}

/** Limits the memory of sandboxes. */
export interface MemoryGuard {
  readonly kind: MemoryBoundKind;
  /** Prepares the limit of one sandbox: `bytes` for all of its processes together. */
  bound(bytes: number): Promise<MemoryBound>;
}

/**
 * Joins a group, if there is one, and raises its OOM score, before it becomes the program: nothing
 * that it starts is ever outside the limit.
 */
const enter = `{ echo 1000 > /proc/self/oom_score_adj; } 2>/dev/null
group=$1; shift
if [ -n "$group" ]; then echo 0 > "$group" || exit 70; fi
exec "$@"`;

function enclosed(joinFile: string, { command, args }: Command): Command {
  return { command: "/bin/sh", args: ["-c", enter, "sh", joinFile, command, ...args] };
}

/** How often to check whether the kernel killed something in a group, in ms. */
const askMs = 100;

function groupBound(group: Cgroup): MemoryBound {
  return {
    enclose: (command) => enclosed(group.joinFile, command),
    watch(_pid, onExceeded) {
      let timer: NodeJS.Timeout;
      let stopped = false;
      const ask = async () => {
        const exceeded = await group.wasExceeded();
        if (stopped) return;
        if (exceeded) return onExceeded();
        timer = setTimeout(ask, askMs);
      };
      timer = setTimeout(ask, askMs);
      return () => {
        stopped = true;
        clearTimeout(timer);
      };
    },
    wasExceeded: () => group.wasExceeded(),
    remove: () => group.remove(),
  };
}

function watchedBound(bytes: number): MemoryBound {
  let exceeded = false;
  return {
    enclose: (command) => enclosed("", command),
    watch(pid, onExceeded) {
      return watchTreeMemory(
        () => processTreeOf(pid).map(({ id }) => id),
        bytes,
        () => {
          exceeded = true;
          onExceeded();
        },
      );
    },
    wasExceeded: async () => exceeded,
    remove: async () => {},
  };
}

/** The guard for machines without usable control groups. */
export function makeWatchedGuard(): MemoryGuard {
  return { kind: "watched", bound: async (bytes) => watchedBound(bytes) };
}

const probeBytes = 2 ** 26;
const probeMs = 60_000;

/** Whether a program in a group below `parent` is running and counted. */
async function isEffective(parent: CgroupParent): Promise<boolean> {
  const group = await makeCgroup(parent, probeBytes).catch(() => null);
  if (group === null) return false;
  try {
    const cat = { command: "/bin/cat", args: ["/proc/self/cgroup"] };
    const shell = enclosed(group.joinFile, cat);
    const { stdout } = await promisify(execFile)(shell.command, shell.args, {
      env: {},
      timeout: probeMs,
    });
    return stdout.includes(group.joinFile.split("/").at(-2) ?? "/");
  } catch {
    return false;
  } finally {
    await group.remove();
  }
}

/**
 * Finds out by trial how memory can be limited on this machine. `parent` is detected by default.
 */
export async function openMemoryGuard(
  parent: CgroupParent | null = findCgroupParent(),
): Promise<MemoryGuard> {
  if (parent === null || !(await isEffective(parent))) return makeWatchedGuard();
  removeDeadCgroups(parent);
  return {
    kind: parent.version === 2 ? "cgroup v2" : "cgroup v1",
    // The manager of the groups may revoke the permission: then a build is watched instead.
    bound: (bytes) => makeCgroup(parent, bytes).then(groupBound, () => watchedBound(bytes)),
  };
}
