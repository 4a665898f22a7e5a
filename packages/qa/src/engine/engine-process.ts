import { type ChildProcess, fork } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { readdir, rm, stat } from "node:fs/promises";
import { extname, join } from "node:path";
import { systemPath } from "../browser/find-chromium.ts";
import { QaError } from "../errors.ts";
import type { Engine, EngineResult } from "./job.ts";
import type { FromEngine, ToEngine } from "./protocol.ts";

/** How long a stopping engine may take to close its browser, in ms. */
const closeTimeoutMs = 3000;
/** How much of its stderr is kept for the error, in characters. */
const stderrTail = 4000;

/**
 * Node's arguments for the process. Pages are short-lived, so a large young generation from the
 * start saves a fifth of a crawl's time; a larger one would take more memory and no less time. Most
 * code runs too rarely for the most thorough compiler, which takes an eighth of a crawl's processor
 * time otherwise.
 */
export const engineArguments = [
  "--max-old-space-size=1024",
  "--min-semi-space-size=16",
  "--max-semi-space-size=16",
  "--no-parallel-scavenge",
  "--invocation-count-for-maglev=1000",
  "--invocation-count-for-turbofan=30000",
] as const;

/** The log for an engine's process; compatible with pino. */
export interface EngineLog {
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

export interface EngineProcessOptions {
  log: EngineLog;
  /** Each process gets a temporary folder here, such as for a browser's profile. */
  tempDir: string;
  /** A folder for V8's compile cache: with it the process starts in half the time. */
  cacheDir?: string | undefined;
}

const folderPrefix = "vitrine-engine-";
/** Far longer than any run, in ms. */
const abandonedAfterMs = 24 * 60 * 60 * 1000;

/**
 * Removes the folders of engines that were killed together with their parent, as in a power cut.
 * Decides by age, because other instances, and containers that share the folder, have processes
 * that we can't see.
 */
async function removeAbandoned(tempDir: string): Promise<void> {
  for (const name of await readdir(tempDir)) {
    if (!name.startsWith(folderPrefix)) continue;
    const folder = join(tempDir, name);
    const info = await stat(folder).catch(() => null);
    const isOurs = info !== null && info.uid === process.getuid?.();
    if (isOurs && Date.now() - info.mtimeMs > abandonedAfterMs) {
      await rm(folder, { recursive: true, force: true });
    }
  }
}

function start({ tempDir, cacheDir }: EngineProcessOptions): ChildProcess {
  const folder = mkdtempSync(join(tempDir, folderPrefix));
  // TypeScript in the repository, JavaScript in the published package.
  const program = `child${extname(import.meta.filename)}`;
  const child = fork(join(import.meta.dirname, program), [], {
    execPath: process.execPath,
    execArgv: [...engineArguments],
    // Our environment isn't passed on: it may contain keys.
    env: {
      PATH: systemPath,
      HOME: folder,
      TMPDIR: folder,
      ...(cacheDir === undefined ? {} : { NODE_COMPILE_CACHE: cacheDir }),
    },
    // Its standard input closes when this process is gone.
    stdio: ["pipe", "ignore", "pipe", "ipc"],
    serialization: "advanced",
  });
  let cleared = false;
  const clear = () => {
    if (cleared) return;
    cleared = true;
    // Its browser may live a moment longer and writes until it ends.
    void rm(folder, { recursive: true, force: true, maxRetries: 10 }).catch(() => {});
  };
  child.once("exit", clear);
  // A process that didn't start doesn't exit.
  child.once("error", () => child.pid === undefined && clear());
  return child;
}

/** Ends the process: first by disconnecting, so that it can close its browser. */
function end(child: ChildProcess): void {
  if (child.connected) child.disconnect();
  const kill = setTimeout(() => child.kill("SIGKILL"), closeTimeoutMs);
  child.once("exit", () => clearTimeout(kill));
}

/**
 * Makes an engine that runs each job in a process of its own. Removes folders that killed engines
 * left behind. Throws the signal's reason if it is aborted, the engine's error, and `internal` if
 * the process dies.
 */
export function makeEngine(options: EngineProcessOptions): Engine {
  const { log, tempDir } = options;
  removeAbandoned(tempDir).catch((error: unknown) => {
    log.warn({ err: error }, "couldn't remove folders of earlier QA engines");
  });
  return (job, watch) => {
    watch.signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<EngineResult>();
    const child = start(options);
    const tell = (message: ToEngine) => void child.send(message, () => {});
    let words = "";
    const abort = () => reject(watch.signal.reason);
    child.stderr?.on("data", (chunk: Buffer) => {
      words = (words + chunk.toString("utf8")).slice(-stderrTail);
    });
    child.on("message", (message: FromEngine) => {
      if (message.kind === "progress") watch.progress(message.progress);
      else if (message.kind === "done") resolve(message.result);
      else if (message.kind === "count") {
        watch
          .countMessages()
          .catch(() => null)
          .then((count) => tell({ kind: "count", count }));
      } else {
        if (message.code === "internal")
          log.error({ stack: message.stack }, "the QA engine failed");
        reject(new QaError(message.code, message.message));
      }
    });
    // There may be more than one error, and an unhandled one would end this process.
    child.on("error", reject);
    child.once("exit", (code, signal) => {
      if (words !== "") log.warn({ stderr: words }, "the QA engine wrote to stderr");
      const how = signal ?? `code ${code}`;
      reject(new QaError("internal", `The QA engine ended before it was done (${how}).`));
    });
    watch.signal.addEventListener("abort", abort, { once: true });
    tell({ kind: "check", job });
    return promise.finally(() => {
      watch.signal.removeEventListener("abort", abort);
      end(child);
    });
  };
}
