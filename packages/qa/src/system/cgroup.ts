import {
  accessSync,
  constants,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from "node:fs";
import { readFile, rmdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

/** A directory of the kernel's control groups in which this process may create groups. */
export interface CgroupParent {
  version: 1 | 2;
  dir: string;
}

/**
 * A control group with a memory limit: everything that its processes use counts, whatever kind of
 * memory it is.
 */
export interface Cgroup {
  /** The file that a process writes `0` to in order to join. */
  joinFile: string;
  /** Whether the kernel had to kill one of its processes because the limit was reached. */
  wasExceeded(): Promise<boolean>;
  /** Removes it after its processes are gone. */
  remove(): Promise<void>;
}

export interface CgroupPaths {
  /** `/proc/self/cgroup` and `/proc/self/mountinfo`, or copies of them. */
  own: string;
  mounts: string;
}

const kernelPaths: CgroupPaths = { own: "/proc/self/cgroup", mounts: "/proc/self/mountinfo" };

interface Mount {
  /** The mounted part of the hierarchy, and its mount point. */
  root: string;
  at: string;
  type: string;
  options: string[];
}

/** The kernel escapes blanks in paths as octal numbers (proc(5)). */
function unescapePath(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_all, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}

function mountsIn(mountinfo: string): Mount[] {
  return mountinfo.split("\n").flatMap((line) => {
    const [before = "", after = ""] = line.split(" - ");
    const [, , , root, at] = before.split(" ");
    const [type = "", , options = ""] = after.split(" ");
    if (root === undefined || at === undefined) return [];
    return [{ root: unescapePath(root), at: unescapePath(at), type, options: options.split(",") }];
  });
}

/** This process's directory in a mounted hierarchy; null if the mount doesn't show it. */
function folderIn({ root, at }: Mount, path: string): string | null {
  if (root === "/") return join(at, path);
  if (path !== root && !path.startsWith(`${root}/`)) return null;
  return join(at, path.slice(root.length));
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function wordsOf(file: string): string[] {
  try {
    return readFileSync(file, "utf8").split(/\s+/).filter(Boolean);
  } catch {
    return [];
  }
}

/**
 * Version 2 takes processes only into groups without children that have controllers (cgroups(7), "no
 * internal processes"): groups are made beside our own, where whoever started us has handed their
 * parent to us with its memory controller (systemd: `Delegate=memory` with `DelegateSubgroup=`).
 */
function parentV2(own: string): CgroupParent | null {
  const dir = dirname(own);
  // Root may write everywhere, but only units are ever delegated: a slice is systemd's own.
  if (dir.endsWith(".slice") || !isWritable(join(dir, "cgroup.procs"))) return null;
  if (!wordsOf(join(dir, "cgroup.controllers")).includes("memory")) return null;
  const passedOn = join(dir, "cgroup.subtree_control");
  try {
    if (!wordsOf(passedOn).includes("memory")) writeFileSync(passedOn, "+memory");
    return { version: 2, dir };
  } catch {
    return null;
  }
}

/**
 * Finds where this process may create control groups with a memory limit: below its own group, so
 * that its own limits still apply. Null if there is no such place, because the controller or the
 * permission is missing.
 */
export function findCgroupParent(places: CgroupPaths = kernelPaths): CgroupParent | null {
  let mounts: Mount[];
  let lines: string[];
  try {
    mounts = mountsIn(readFileSync(places.mounts, "utf8"));
    lines = readFileSync(places.own, "utf8").trim().split("\n");
  } catch {
    return null;
  }
  for (const line of lines) {
    const [, controllers = "", ...rest] = line.split(":");
    const path = rest.join(":");
    const isUnified = controllers === "";
    if (!isUnified && !controllers.split(",").includes("memory")) continue;
    const mount = mounts.find(({ type, options }) =>
      isUnified ? type === "cgroup2" : type === "cgroup" && options.includes("memory"),
    );
    const own = mount && folderIn(mount, path);
    if (!own) continue;
    const parent = isUnified
      ? parentV2(own)
      : isWritable(own) && isWritable(join(own, "cgroup.procs"))
        ? ({ version: 1, dir: own } as const)
        : null;
    if (parent !== null) return parent;
  }
  return null;
}

const namePrefix = "vitrine-";

/** Removes the groups of processes that were killed. A group with processes can't be removed. */
export function removeDeadCgroups({ dir }: CgroupParent): void {
  for (const name of readdirSync(dir)) {
    const pid = /^vitrine-(\d+)-/.exec(name)?.[1];
    if (pid === undefined || isAlive(Number(pid))) continue;
    try {
      rmdirSync(join(dir, name));
    } catch {
      // Something still runs in it, or another process was faster.
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/**
 * Files of a new group in the order in which they are written; those after the first may not exist.
 */
function boundFiles(version: 1 | 2, bytes: number): [file: string, value: string][] {
  if (version === 2) {
    return [
      ["memory.max", String(bytes)],
      ["memory.swap.max", "0"],
      // When the limit is reached, the kernel kills the whole group: the rest of a build would be
      // useless.
      ["memory.oom.group", "1"],
    ];
  }
  return [
    ["memory.limit_in_bytes", String(bytes)],
    ["memory.memsw.limit_in_bytes", String(bytes)],
    // Socket buffers are counted separately, and only if they have a limit.
    ["memory.kmem.tcp.limit_in_bytes", String(2 ** 26)],
  ];
}

async function endedForMemory(version: 1 | 2, dir: string): Promise<boolean> {
  const file = join(dir, version === 2 ? "memory.events" : "memory.oom_control");
  const text = await readFile(file, "utf8").catch(() => "");
  return /^oom_kill [1-9]/m.test(text);
}

const removeTries = 50;
const removePauseMs = 20;

async function removeGroup(dir: string): Promise<void> {
  for (let attempt = 0; attempt < removeTries; attempt += 1) {
    try {
      await rmdir(dir);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EBUSY") return;
      // The kernel still counts a process for a moment after it has reported its end.
      await delay(removePauseMs);
    }
  }
}

let made = 0;

/** Creates a group with a limit of `bytes` of memory. Throws the kernel's error. */
export async function makeCgroup({ version, dir }: CgroupParent, bytes: number): Promise<Cgroup> {
  made += 1;
  const group = join(dir, `${namePrefix}${process.pid}-${made}`);
  mkdirSync(group);
  try {
    const [first, ...others] = boundFiles(version, bytes);
    if (first) await writeFile(join(group, first[0]), first[1]);
    for (const [file, value] of others) {
      await writeFile(join(group, file), value, { flag: "r+" }).catch(() => {});
    }
  } catch (error) {
    await removeGroup(group);
    throw error;
  }
  return {
    joinFile: join(group, "cgroup.procs"),
    wasExceeded: () => endedForMemory(version, group),
    remove: () => removeGroup(group),
  };
}
