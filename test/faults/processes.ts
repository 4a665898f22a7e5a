import { readdir, readFile, readlink } from "node:fs/promises";

/** The kinds of processes of a product, each with a pattern of its command line. */
export const processKinds = {
  front: /\/processes\/front\.ts/,
  web: /\/processes\/web\.ts/,
  runner: /\/processes\/runner\.ts/,
  "image worker": /\/media\/image\/worker\.ts/,
  "QA engine": /\/qa\/engine\/child\.ts/,
  chromium: /chrom(e|ium)/,
  ffmpeg: /ffmpeg|ffprobe/,
  builder: /bwrap|\/builder\/|builder\.(ts|js)/,
  git: /(^|\/)git\0/,
} as const;

export type ProcessKind = keyof typeof processKinds | "supervisor" | "other";

export interface ProductProcess {
  pid: number;
  parent: number;
  kind: ProcessKind;
  command: string;
}

interface Stat {
  parent: number;
  state: string;
}

async function statOf(pid: number): Promise<Stat> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  const [state = "", parent = "0"] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return { state, parent: Number(parent) };
}

function kindOf(command: string): ProcessKind {
  if (/\/processes\/main\.ts\0(.*\0)?start\0/.test(command)) return "supervisor";
  for (const [kind, pattern] of Object.entries(processKinds)) {
    if (pattern.test(command)) return kind as ProcessKind;
  }
  return "other";
}

const textOf = (path: string) => readFile(path, "utf8").catch(() => "");

/** Whether the process works in, or was started for, what lies below `path`. */
async function belongsTo(pid: number, path: string, command: string): Promise<boolean> {
  if (command.includes(path)) return true;
  const folder = await readlink(`/proc/${pid}/cwd`).catch(() => "");
  return folder.startsWith(path) || (await textOf(`/proc/${pid}/environ`)).includes(path);
}

/**
 * Every process of the product whose instance lies below `path`, by /proc: what was started for it, and
 * all their descendants. Ours, and those that have ended already, are left out.
 */
export async function productProcesses(path: string): Promise<ProductProcess[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const all = new Map<number, ProductProcess & { own: boolean }>();
  for (const pid of pids) {
    if (pid === process.pid) continue;
    const stat = await statOf(pid).catch(() => null);
    if (stat === null || stat.state === "Z") continue;
    const command = await textOf(`/proc/${pid}/cmdline`);
    const own = command !== "" && (await belongsTo(pid, path, command));
    all.set(pid, { pid, parent: stat.parent, kind: kindOf(command), command, own });
  }
  const isProduct = (pid: number): boolean => {
    const found = all.get(pid);
    return found !== undefined && (found.own || isProduct(found.parent));
  };
  return [...all.values()]
    .filter(({ pid }) => isProduct(pid))
    .map(({ own: _own, ...found }) => found);
}

/** Sends a signal; false if the process has ended. */
export function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    process.kill(pid, name);
    return true;
  } catch {
    return false;
  }
}

/** A process's number of open files and its private memory in bytes. */
export async function resourcesOf(pid: number): Promise<{ files: number; bytes: number }> {
  const [files, status] = await Promise.all([
    readdir(`/proc/${pid}/fd`).catch(() => []),
    textOf(`/proc/${pid}/status`),
  ]);
  const kibibytes = Number(/^RssAnon:\s+(\d+)/m.exec(status)?.[1] ?? 0);
  return { files: files.length, bytes: kibibytes * 1024 };
}
