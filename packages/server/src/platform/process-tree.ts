import type { ChildProcess } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { getPriority, setPriority } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { processTreeOf } from "vitrine-qa/src/system/tree-memory.ts";

/** The process and all its running descendants, from /proc; only itself without /proc. */
export function processTree(root: number): number[] {
  return processTreeOf(root).map(({ id }) => id);
}

/** Sends a signal to a process and all its descendants; those already gone are skipped. */
export function killTree(pid: number, signal: NodeJS.Signals = "SIGKILL"): void {
  // The kernel's lists of children can leave one out while another ends.
  const tree = processTreeOf(pid, false).map(({ id }) => id);
  for (const member of tree.toReversed()) {
    try {
      process.kill(member, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }
}

/**
 * Lowers the priority of a process that was just spawned, like `nice`. Its later threads and
 * children inherit it.
 */
export function lowerPriority({ pid }: Pick<ChildProcess, "pid">, niceness: number): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, Math.min(19, getPriority() + niceness));
  } catch {
    // It has ended, or this machine has no priorities, so it runs normally.
  }
}

/** The ID of a process's session; undefined if it has ended. */
async function sessionOf(pid: number | "self"): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[3];
}

/** Clock ticks per second on Linux (`getconf CLK_TCK`). */
const ticksPerSecond = 100;

/** The processor time of a process so far, in ms; undefined if it has ended, or without /proc. */
export async function processorMs(pid: number): Promise<number | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (fields === undefined) return undefined;
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / ticksPerSecond;
}

function lowerThread(thread: number, niceness: number): void {
  try {
    if (getPriority(thread) < niceness) setPriority(thread, niceness);
  } catch {
    // It has ended, or this machine has no priorities.
  }
}

/** How often to try again where the kernel allows only one such change in 100 ms. */
const sessionAttempts = 5;

async function lowerSession(pid: number, niceness: number): Promise<void> {
  for (let attempt = 1; attempt <= sessionAttempts; attempt += 1) {
    try {
      await writeFile(`/proc/${pid}/autogroup`, String(niceness));
      return;
    } catch (error) {
      // Without such groups, the file is missing, and the priority of each process counts.
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") return;
      await delay(150);
    }
  }
}

/** How far a session is put behind: lower ones get nearly nothing where others are always busy. */
const maxSessionNiceness = 5;

/**
 * Lowers the priority of a process and all that it has started, in sessions of their own, too. Where
 * the kernel shares processor time among sessions (sched_autogroup_enabled, see sched(7)), a process's
 * priority counts only within its session: a contained program, which always has its own, would
 * get as much time as the server that started it. Such a session is behind all others of the machine,
 * not only the server's, so it keeps a third of a usual share. `niceness` is that of the processes, at
 * most 19.
 */
export async function lowerTreePriority(pid: number, niceness: number): Promise<void> {
  const own = await sessionOf("self");
  const lowered = new Set([own]);
  for (const member of processTree(pid)) {
    const session = await sessionOf(member);
    if (session === undefined) continue;
    // To Linux, a priority is one of a thread.
    for (const thread of await readdir(`/proc/${member}/task`).catch(() => [])) {
      lowerThread(Number(thread), niceness);
    }
    if (lowered.has(session)) continue;
    lowered.add(session);
    await lowerSession(member, Math.min(niceness, maxSessionNiceness));
  }
}
