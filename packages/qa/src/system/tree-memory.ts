import { existsSync, readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";

/** A process of a tree. */
export interface TreeProcess {
  id: number;
  threads: number;
}

/** The file's text; empty if it can't be read: its process has ended in the meantime, or isn't ours. */
function readQuietly(file: string): string {
  try {
    // Node reads UTF-8, unlike other encodings, without a buffer of 64 KiB for each file.
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

/** The names in a folder; none if it can't be read. */
function listQuietly(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** The processes that a process has started, if the kernel lists them by thread. */
function listedChildren(pid: number, threads: readonly string[]): number[] {
  const lists = threads.map((thread) => readQuietly(`/proc/${pid}/task/${thread}/children`));
  return lists.join("").split(" ").filter(Boolean).map(Number);
}

/** The children of every process of the machine. */
function readAllChildren(): Map<number, number[]> {
  const children = new Map<number, number[]>();
  for (const name of listQuietly("/proc")) {
    const stat = /^\d+$/.test(name) ? readQuietly(`/proc/${name}/stat`) : "";
    if (stat === "") continue;
    const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [Number(name)]);
    else siblings.push(Number(name));
  }
  return children;
}

/** Kernels without CONFIG_PROC_CHILDREN don't list children. */
const listsChildren = existsSync("/proc/thread-self/children");

/**
 * A process and all of its living descendants; only the process without /proc. With `isListed`, it
 * reads only what belongs to the tree; without, every process of the machine.
 */
export function processTreeOf(root: number, isListed = listsChildren): TreeProcess[] {
  const all = isListed ? null : readAllChildren();
  const tree: TreeProcess[] = [];
  const seen = new Set([root]);
  // The set grows while it is iterated.
  for (const id of seen) {
    const threads = listQuietly(`/proc/${id}/task`);
    const children = all === null ? listedChildren(id, threads) : (all.get(id) ?? []);
    for (const child of children) seen.add(child);
    tree.push({ id, threads: threads.length });
  }
  return tree;
}

function kibibytes(text: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(text)?.[1] ?? 0) * 1024;
}

function sum(text: string, names: readonly string[]): number {
  return names.reduce((bytes, name) => bytes + kibibytes(text, name), 0);
}

/** The memory of processes, in bytes: private, and shared but not backed by a file on disk. */
export interface MemoryUse {
  own: number;
  shared: number;
}

/** The mapped and used memory of a process that isn't backed by a file, including page tables. */
export function readAnonymousMemory(pid: number): MemoryUse {
  const status = readQuietly(`/proc/${pid}/status`);
  return { own: sum(status, ["RssAnon", "VmSwap", "VmPTE"]), shared: sum(status, ["RssShmem"]) };
}

/**
 * The same, with shared memory divided among the processes; slower, because the kernel walks
 * through all of it.
 */
function fairShareOf(pid: number): MemoryUse {
  const rollup = readQuietly(`/proc/${pid}/smaps_rollup`);
  if (rollup === "") return readAnonymousMemory(pid);
  const tables = sum(readQuietly(`/proc/${pid}/status`), ["VmPTE"]);
  return {
    own: sum(rollup, ["Pss_Anon", "SwapPss"]) + tables,
    shared: sum(rollup, ["Pss_Shmem"]),
  };
}

/** What the file descriptors of a process tree hold. */
export interface DescriptorMemory {
  descriptors: number;
  sockets: number;
  /** Memory files and deleted files, each counted once, in bytes. */
  bytes: number;
}

/** With more descriptors than this, counting stops: each costs a system call. */
const maxDescriptors = 20_000;

/** Searches the descriptors of processes for files that are in no directory and not mapped. */
export function descriptorMemory(pids: readonly number[]): DescriptorMemory {
  const held: DescriptorMemory = { descriptors: 0, sockets: 0, bytes: 0 };
  const seen = new Set<string>();
  for (const pid of pids) {
    const names = listQuietly(`/proc/${pid}/fd`);
    held.descriptors += names.length;
    if (held.descriptors > maxDescriptors) return held;
    for (const name of names) addDescriptor(`/proc/${pid}/fd/${name}`, held, seen);
  }
  return held;
}

function addDescriptor(path: string, held: DescriptorMemory, seen: Set<string>): void {
  try {
    const target = readlinkSync(path);
    if (target.startsWith("socket:")) held.sockets += 1;
    if (!target.endsWith(" (deleted)")) return;
    const { dev, ino, blocks } = statSync(path);
    if (seen.has(`${dev}:${ino}`)) return;
    seen.add(`${dev}:${ino}`);
    held.bytes += blocks * 512;
  } catch {
    // Closed in the meantime.
  }
}

function total(uses: readonly MemoryUse[]): MemoryUse {
  const add = (all: MemoryUse, use: MemoryUse) => ({
    own: all.own + use.own,
    shared: all.shared + use.shared,
  });
  return uses.reduce(add, { own: 0, shared: 0 });
}

/**
 * The memory of processes. Measures exactly only if the quick sum, which counts shared pages once
 * per process, exceeds `bytes`.
 */
export function memoryOf(pids: readonly number[], bytes: number): MemoryUse {
  const quick = total(pids.map(readAnonymousMemory));
  return quick.own + quick.shared <= bytes ? quick : total(pids.map(fairShareOf));
}
