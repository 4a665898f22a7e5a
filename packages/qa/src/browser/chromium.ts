import { spawn } from "node:child_process";
import { statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { openMemoryGuard } from "../system/memory.ts";
import { readAnonymousMemory } from "../system/tree-memory.ts";
import { chromiumFlags } from "./chromium-flags.ts";
import { type Devtools, openDevtools, type Session } from "./devtools.ts";
import { systemPath } from "./find-chromium.ts";

/** Chromium, running. */
export interface Chromium {
  devtools: Devtools;
  /** As `Chromium 156.0.8078.79`. */
  version: string;
  /** Of its main process. */
  pid: number;
  /** Resolves when it has ended and its folder is removed. */
  exited: Promise<void>;
  /** Ends it with all its processes, immediately. */
  kill(): Promise<void>;
}

/** Identifies a Chromium without starting it: an update changes its file. */
export function programFingerprint(path: string): string {
  const { size, mtimeMs } = statSync(path);
  return `${size}-${Math.round(mtimeMs)}`;
}

/** Time limit of the start, in ms. */
const startMs = 30_000;
/** Memory limit of all its processes: two pages with what they share, and the renderer. */
const browserBytes = 3 * 2 ** 30;
/** Maximum characters of its last output that are kept. */
const stderrTail = 2000;

/**
 * Starts Chromium headless, with its own sandbox unless run by root, which it refuses. It is
 * controlled through a pipe: when this process ends in any way, Chromium ends. Throws if it doesn't
 * start.
 */
export async function startChromium(path: string): Promise<Chromium> {
  const folder = await mkdtemp(join(tmpdir(), "vitrine-chromium-"));
  const sandbox = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  const memory = await (await openMemoryGuard()).bound(browserBytes);
  const args = [...chromiumFlags, ...sandbox, `--user-data-dir=${folder}`];
  const enclosed = memory.enclose({ command: path, args });
  const child = spawn(enclosed.command, enclosed.args, {
    // Without our own environment, which contains secrets.
    env: { PATH: systemPath, HOME: folder, LANG: "en_US.UTF-8", TZ: "UTC" },
    stdio: ["ignore", "ignore", "pipe", "pipe", "pipe"],
    // So that its process group can be killed with it.
    detached: true,
  });
  const [, , said, output, input] = child.stdio as [null, null, Readable, Writable, Readable];
  let words = "";
  said.on("data", (chunk: Buffer) => {
    words = `${words}${String(chunk)}`.slice(-stderrTail);
  });
  const devtools = openDevtools(input, output);
  const stopWatch =
    child.pid === undefined
      ? () => {}
      : memory.watch(child.pid, () => child.pid !== undefined && signal(child.pid));
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  child.once("exit", end).once("error", end);
  const clear = async () => {
    await ended;
    stopWatch();
    devtools.close();
    await memory.remove();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 }).catch(() => {});
  };
  const gone = clear();
  const kill = async () => {
    if (child.pid !== undefined) signal(child.pid);
    await gone;
  };
  const late = setTimeout(() => void kill(), startMs);
  try {
    const { product } = await devtools.root.send("Browser.getVersion");
    const pid = (await processesOf(devtools.root)).find(({ type }) => type === "browser")?.id ?? 0;
    return { devtools, version: `Chromium ${product.split("/").at(-1)}`, pid, exited: gone, kill };
  } catch (cause) {
    await kill();
    const why = words.trim().split("\n").at(-1) || "it says nothing";
    throw new Error(`it ended at once: ${why}`, { cause });
  } finally {
    clearTimeout(late);
  }
}

/** Ends a process, and its group if it leads one, because a script may have started it. */
function signal(pid: number): void {
  for (const target of [-pid, pid]) {
    try {
      process.kill(target, "SIGKILL");
    } catch {
      // It is gone.
    }
  }
}

interface BrowserProcess {
  type: string;
  id: number;
}

async function processesOf(session: Session): Promise<readonly BrowserProcess[]> {
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  return processInfo;
}

/** Whether a page's process exceeds its memory limit, with or without shared memory. */
function exceedsMemory(pid: number, maxBytes: number): boolean {
  const { own, shared } = readAnonymousMemory(pid);
  // Decoded images and canvases are shared with the GPU process.
  return own > maxBytes || own + shared > 2 * maxBytes;
}

/**
 * Ends each page's process that uses more than `maxBytes`, which costs only that page. Checks twice
 * a second.
 */
export function watchMemory({ devtools, exited }: Chromium, maxBytes: number): void {
  const look = async () => {
    for (const { type, id } of await processesOf(devtools.root)) {
      if (type !== "renderer" || !exceedsMemory(id, maxBytes)) continue;
      try {
        process.kill(id, "SIGKILL");
      } catch {
        // It is gone.
      }
    }
  };
  let looking = false;
  const timer = setInterval(() => {
    if (looking) return;
    looking = true;
    look()
      .catch(() => {})
      .finally(() => {
        looking = false;
      });
  }, 500);
  timer.unref();
  void exited.then(() => clearInterval(timer));
}
