import { readdir, readFile, readlink } from "node:fs/promises";
import { basename } from "node:path";
import { run } from "../../platform/process.ts";

/** A running git process, as far as this system shows it. */
export interface GitProcess {
  pid: number;
  parent: number;
  command: string;
  /** Its working folder; null if it isn't visible. */
  folder: string | null;
}

async function fromProc(pid: string): Promise<GitProcess | null> {
  try {
    const [stat, line] = await Promise.all([
      readFile(`/proc/${pid}/stat`, "utf8"),
      readFile(`/proc/${pid}/cmdline`, "utf8"),
    ]);
    const end = stat.lastIndexOf(")");
    if (!stat.slice(stat.indexOf("(") + 1, end).startsWith("git")) return null;
    const [state, parent] = stat.slice(end + 2).split(" ");
    if (state === "Z" || state === "X") return null;
    const folder = await readlink(`/proc/${pid}/cwd`).catch(() => null);
    return {
      pid: Number(pid),
      parent: Number(parent),
      command: line.replaceAll("\0", " "),
      folder,
    };
  } catch {
    // It ended in the meantime.
    return null;
  }
}

async function fromPs(): Promise<GitProcess[]> {
  const listing = await run("ps", ["-axww", "-o", "pid=,ppid=,command="]);
  return listing.stdout.split("\n").flatMap((line) => {
    const [, pid, parent, command] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    if (command === undefined) return [];
    if (!basename(command.split(" ")[0] ?? "").startsWith("git")) return [];
    return [{ pid: Number(pid), parent: Number(parent), command, folder: null }];
  });
}

/** All running git processes, from /proc or, without it, from `ps`. */
export async function gitProcesses(): Promise<GitProcess[]> {
  const names = await readdir("/proc").catch(() => []);
  const pids = names.filter((name) => /^\d+$/.test(name));
  if (pids.length === 0) return fromPs();
  const found = await Promise.all(pids.map(fromProc));
  return found.filter((process) => process !== null);
}
