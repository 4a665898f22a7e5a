import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { type Cgroup, type CgroupParent, findCgroupParent } from "./cgroup.ts";
import { makeCgroup, removeDeadCgroups } from "./cgroup.ts";
import { processTreeOf } from "./tree-memory.ts";
import { watchTreeMemory } from "./tree-watch.ts";

/**
 * How the memory of a sandbox is bounded: by a control group, where the kernel holds the bound and
 * counts all that its processes take, or by watching its processes.
 */
export type MemoryBoundKind = "cgroup v1" | "cgroup v2" | "watched";

/** A program and its arguments. */
interface Command {
  command: string;
  args: string[];
}

/** The bound of one sandbox. */
export interface MemoryBound {
  /** The command that runs another one within the bound. */
  enclose(command: Command): Command;
  /** Calls `onExceeded` once when the bound is passed by what `pid` started. Gives the end of that. */
  watch(pid: number, onExceeded: () => void): () => void;
  /** Whether the bound was passed, for a program that ended before a watch could tell. */
  wasExceeded(): Promise<boolean>;
  /** Removes what belongs to it. To be called when everything in the sandbox is gone. */
  remove(): Promise<void>;
}

/** Bounds the memory of sandboxes. */
export interface MemoryGuard {
  readonly kind: MemoryBoundKind;
  /** Prepares the bound of one sandbox: `bytes` for all of its processes. */
  bound(bytes: number): Promise<MemoryBound>;
}

/**
 * Joins a group, where there is one, and offers itself to the kernel first when the whole machine runs
 * out of memory, before it becomes the program: nothing it starts is ever outside of the bound.
 */
const enter = `{ echo 1000 > /proc/self/oom_score_adj; } 2>/dev/null
group=$1; shift
if [ -n "$group" ]; then echo 0 > "$group" || exit 70; fi
exec "$@"`;

function enclosed(joinFile: string, { command, args }: Command): Command {
  return { command: "/bin/sh", args: ["-c", enter, "sh", joinFile, command, ...args] };
}

/** How often a group is asked whether the kernel had to end something in it, in ms. */
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

/** The guard of machines without control groups that this process may use. */
export function makeWatchedGuard(): MemoryGuard {
  return { kind: "watched", bound: async (bytes) => watchedBound(bytes) };
}

const probeBytes = 2 ** 26;
const probeMs = 60_000;

/** Whether a program that is put into a group below `parent` is there and is counted. */
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

/** Finds out by trying it how memory can be bounded here. `parent` is looked for unless given. */
export async function openMemoryGuard(
  parent: CgroupParent | null = findCgroupParent(),
): Promise<MemoryGuard> {
  if (parent === null || !(await isEffective(parent))) return makeWatchedGuard();
  removeDeadCgroups(parent);
  return {
    kind: parent.version === 2 ? "cgroup v2" : "cgroup v1",
    // Whoever manages the groups may take the right away: a build is watched then.
    bound: (bytes) => makeCgroup(parent, bytes).then(groupBound, () => watchedBound(bytes)),
  };
}
