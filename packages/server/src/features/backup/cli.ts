import { resolve } from "node:path";
import type { Writable } from "node:stream";
import type { Command } from "commander";
import { AppError } from "../../kit/errors.ts";
import type { CliContext } from "../../platform/cli.ts";
import { type Environment, loadConfig } from "../../platform/config.ts";

/** What these commands need in addition to the shared dependencies. */
export interface BackupDependencies {
  environment(): Environment;
  streams: { stdout: Writable; stderr: Writable };
  version: string;
  /** Prints the result to stderr, because stdout is the backup. */
  printResultOnStderr(): void;
  /**
   * Calls `listener` when the user interrupts the command; returns a function that unregisters it.
   */
  onInterrupt(listener: () => void): () => void;
  /** Throws unless an instance is installed in the folder. */
  assertInstalled(config: ReturnType<typeof loadConfig>): Promise<void>;
}

const isTerminal = (stream: Writable) => "isTTY" in stream && stream.isTTY === true;

/** Runs `task` with a signal that aborts when the user interrupts it. */
async function untilInterrupted<T>(
  { onInterrupt }: BackupDependencies,
  task: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ending = new AbortController();
  const takeBack = onInterrupt(() => {
    ending.abort(new AppError("unavailable", "It was stopped before it finished."));
  });
  try {
    return await task(ending.signal);
  } finally {
    takeBack();
  }
}

function makeProgress(program: Command, { streams }: BackupDependencies): (line: string) => void {
  const isWanted = program.opts<{ pretty?: boolean }>().pretty === true;
  if (!isWanted && !isTerminal(streams.stderr)) return () => {};
  return (line) => void streams.stderr.write(`${line}\n`);
}

async function backUpTo(
  file: string,
  { force }: { force?: boolean },
  {
    program,
    context,
    parts: deps,
  }: { program: Command; context: CliContext; parts: BackupDependencies },
): Promise<void> {
  const { streams, version, environment } = deps;
  const toStdout = file === "-";
  if (toStdout) {
    deps.printResultOnStderr();
    if (isTerminal(streams.stdout)) {
      throw new AppError(
        "bad_request",
        "A backup can't be written to a terminal. Name a file or use a pipe.",
      );
    }
  }
  const config = loadConfig(environment());
  await deps.assertInstalled(config);
  const { backUp } = await import("./backup.ts");
  const given = { config, version, clock: context.clock, force: force === true };
  const to = toStdout ? streams.stdout : file;
  const onProgress = makeProgress(program, deps);
  const done = await untilInterrupted(deps, (signal) =>
    backUp({ ...given, to, signal, onProgress }),
  );
  context.print(done);
}

async function restoreFrom(
  file: string,
  given: { into?: string; databaseUrlStdin?: boolean },
  {
    program,
    context,
    parts: deps,
  }: { program: Command; context: CliContext; parts: BackupDependencies },
): Promise<void> {
  const env = deps.environment();
  const dir = resolve(given.into ?? env["VITRINE_DIR"] ?? "instance");
  const databaseUrl = given.databaseUrlStdin
    ? await context.readSecret("Database URL")
    : env["DATABASE_URL"] || null;
  const { restore } = await import("./restore.ts");
  const { clock } = context;
  const onProgress = makeProgress(program, deps);
  const done = await untilInterrupted(deps, (signal) =>
    restore({ file, dir, databaseUrl, env, clock, signal, onProgress }),
  );
  context.print(done);
}

/** Registers `backup` and `restore`. */
export function registerBackupCommands(
  program: Command,
  context: CliContext,
  deps: BackupDependencies,
): void {
  const all = { program, context, parts: deps };
  program
    .command("backup")
    .argument(
      "[file]",
      "a new file or a folder, or - for stdout (default: a file in the current folder)",
      "",
    )
    .description("back up the whole instance to one file, even while it runs")
    .option("--force", "overwrite an existing file")
    .action((file: string, given: { force?: boolean }) => backUpTo(file, given, all));
  program
    .command("restore")
    .argument("<file>", "a file made by `vitrine backup`")
    .description("restore a backup into an empty folder")
    .option(
      "--into <folder>",
      "the folder to restore into (default: --dir, VITRINE_DIR or ./instance)",
    )
    .option("--database-url-stdin", "read the address of the PostgreSQL database from stdin")
    .action((file: string, given: { into?: string; databaseUrlStdin?: boolean }) =>
      restoreFrom(file, given, all),
    );
}
