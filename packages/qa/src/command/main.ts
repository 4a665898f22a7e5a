import type { Writable } from "node:stream";
import { Command, CommanderError } from "commander";
import { toQaError } from "../errors.ts";
import { packageVersion, runQa } from "../run-qa.ts";
import { checkSite, defineQaCommand, type QaCommandDependencies } from "./qa-command.ts";

const exitCodes = { done: 0, failed: 1, wrongUsage: 2 };

function onInterrupt(listener: () => void): () => void {
  process.once("SIGINT", listener);
  process.once("SIGTERM", listener);
  return () => {
    process.off("SIGINT", listener);
    process.off("SIGTERM", listener);
  };
}

/**
 * Runs `vitrine-qa`. Returns its exit code: 0 if no finding fails the run, 1 if one does or the run
 * itself fails, 2 for wrong usage. Writes the report to stdout and everything else to stderr.
 */
export async function runQaCommand(
  args: readonly string[],
  streams: { stdout: Writable; stderr: Writable & { isTTY?: boolean } },
): Promise<number> {
  const { stdout, stderr } = streams;
  let exitCode = exitCodes.done;
  const deps: QaCommandDependencies = {
    run: runQa,
    clock: { now: Date.now, monotonic: () => performance.now() },
    stdout,
    stderr,
    isPretty: () => true,
    print: (data) => void stdout.write(`${JSON.stringify(data, null, 2)}\n`),
    fail() {
      exitCode = exitCodes.failed;
    },
    onInterrupt,
  };
  const program = new Command("vitrine-qa");
  defineQaCommand(program, (url, options) => checkSite(url, options, deps))
    .description("Check a website and report its problems.")
    .version(packageVersion())
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr: (text) => void stderr.write(text),
    });
  try {
    await program.parseAsync(args, { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return exitCodes.done;
      // Commander has already printed its own errors.
      if (!error.code.startsWith("commander.")) stderr.write(`error: ${error.message}\n`);
      return exitCodes.wrongUsage;
    }
    const { message, fields = {} } = toQaError(error);
    const lines = Object.entries(fields).map(([field, why]) => `  ${field}: ${why}\n`);
    stderr.write(`${message}\n${lines.join("")}`);
    return exitCodes.failed;
  }
}
