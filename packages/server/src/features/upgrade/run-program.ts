import { spawn } from "node:child_process";
import { z } from "zod";
import { AppError } from "../../kit/errors.ts";
import type { Environment } from "../../platform/config.ts";

const maxOutputBytes = 4 * 2 ** 20;
/** Restoring, migrating, and building a large site takes a while, in ms. */
const timeoutMs = 2 * 60 * 60_000;

/** What every version's commands print. */
const envelope = z.object({
  ok: z.boolean(),
  data: z.unknown().optional(),
  error: z.object({ message: z.string() }).nullish(),
});

function readAnswer(text: string): z.infer<typeof envelope> | null {
  try {
    return envelope.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/**
 * Runs a command of another program and returns the data that it prints. Its stdin stays open until
 * it ends: it stops if that closes, because then this process is gone. Throws `unavailable` with
 * its message.
 */
export async function runProgram(
  command: string,
  args: readonly string[],
  { env, signal }: { env: Environment; signal: AbortSignal },
): Promise<unknown> {
  signal.throwIfAborted();
  const child = spawn(command, args, { env, stdio: "pipe" });
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      output[name] = (output[name] + text).slice(-maxOutputBytes);
    });
  }
  child.stdin.on("error", () => {});
  const stop = () => child.stdin.end();
  signal.addEventListener("abort", stop, { once: true });
  const timer = setTimeout(stop, timeoutMs);
  try {
    const code = await new Promise<number | null>((ended, failed) => {
      child.once("error", failed);
      child.once("close", ended);
    }).catch((cause: unknown) => {
      throw new AppError("unavailable", `${command} can't be started.`, { cause });
    });
    signal.throwIfAborted();
    const answer = readAnswer(output.stdout);
    if (code === 0 && answer?.ok) return answer.data;
    const lines = output.stderr.trim().split("\n");
    const reason = answer?.error?.message ?? `it ended with ${code}: ${lines.at(-1) ?? ""}`;
    throw new AppError("unavailable", reason.slice(0, 2000));
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}
