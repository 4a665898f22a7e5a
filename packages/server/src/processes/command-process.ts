import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Success } from "../kit/envelope.ts";
import type { Failure } from "../kit/failure.ts";
import { AppError, type ErrorCode, errorStatus } from "../kit/errors.ts";
import { parseJson } from "../kit/json.ts";
import type { Environment } from "../platform/config.ts";
import { nodeBinary } from "../platform/paths.ts";
import { killGroup } from "../platform/process.ts";
import { programOf } from "./process-specs.ts";

const mebibyte = 1024 ** 2;

export interface CommandOptions {
  /** After this time, in ms, the command is killed. */
  timeoutMs: number;
  /** Above this output, the command is killed; defaults to 4 MiB. */
  maxAnswerBytes?: number;
  /** How much memory its JavaScript may use; by default, as much as Node allows. */
  heapMiB?: number;
  /** Gets each line that the command reports with `--progress`. */
  onProgress?: ((line: string) => void) | undefined;
}

/** Commands of this program that run as children. */
export interface CommandProcesses {
  /**
   * Runs `vitrine ARGS` and returns its data. Throws its error, with the fields that it names, and
   * `unavailable` if it takes too long.
   */
  run(args: readonly string[], options: CommandOptions): Promise<unknown>;
  /** Kills all running commands. */
  kill(): void;
}

/** Parses a command's output; throws if it is an error. */
export function readAnswer(text: string): unknown {
  let answer: Success<unknown> | Failure;
  try {
    answer = parseJson(text) as Success<unknown> | Failure;
  } catch (cause) {
    throw new AppError("internal", "The command ended without a result. Try again.", { cause });
  }
  if (answer.ok) return answer.data;
  const { code, message, fields } = answer.error;
  const known = (code in errorStatus ? code : "internal") as ErrorCode;
  throw new AppError(known, message, fields && { fields });
}

/** Runs commands with the environment of an instance, each in a process of its own. */
export function makeCommandProcesses(env: Environment): CommandProcesses {
  const command = programOf("main");
  const running = new Set<() => void>();

  async function run(args: readonly string[], options: CommandOptions): Promise<unknown> {
    const { timeoutMs, maxAnswerBytes = 4 * mebibyte, heapMiB } = options;
    const heap = heapMiB === undefined ? [] : [`--max-old-space-size=${heapMiB}`];
    const child = spawn(nodeBinary, [...heap, command, ...args], {
      env: { ...env },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    const kill = () => killGroup(child);
    running.add(kill);
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      kill();
    }, timeoutMs);
    const chunks: Buffer[] = [];
    let bytes = 0;
    child.stdout.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxAnswerBytes) kill();
      else chunks.push(chunk);
    });
    createInterface({ input: child.stderr }).on("line", (line) => {
      const progress = /^progress: (.{1,200})$/.exec(line)?.[1];
      if (progress !== undefined) options.onProgress?.(progress);
    });
    try {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      child.on("close", () => resolve());
      child.on("error", reject);
      await promise;
    } finally {
      clearTimeout(timer);
      running.delete(kill);
    }
    if (isLate) {
      const message =
        "The command took too long and was stopped. Check what has changed, then try again.";
      throw new AppError("unavailable", message);
    }
    return readAnswer(Buffer.concat(chunks).toString("utf8"));
  }

  return {
    run,
    kill() {
      for (const kill of running) kill();
    },
  };
}
