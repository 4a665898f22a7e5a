import { resolve } from "node:path";
import type { Writable } from "node:stream";
import type { Command } from "commander";
import { AppError } from "../../kit/errors.ts";
import type { CliContext } from "../../platform/cli.ts";
import { type Config, type Environment, loadConfig } from "../../platform/config.ts";
import type { BackupOptions } from "./backup.ts";
import type { CopyRecords } from "./restore-postgres.ts";
import type { BackupSource } from "./unpack.ts";

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
  /** Copies the records of a SQLite backup into PostgreSQL. */
  copyRecords: CopyRecords;
  /** Throws unless an instance is installed in the folder. */
  assertInstalled(config: ReturnType<typeof loadConfig>): Promise<void>;
}

interface CommandScope {
  program: Command;
  context: CliContext;
  parts: BackupDependencies;
}

const maxHours = 24 * 366;

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

async function loadInstalled({ environment, assertInstalled }: BackupDependencies) {
  const config = loadConfig(environment());
  await assertInstalled(config);
  return config;
}

/** Runs a command about the installed instance until it ends or is interrupted. */
async function withInstance<T>(
  { program, context, parts: deps }: CommandScope,
  config: Config,
  task: (options: BackupOptions) => Promise<T>,
): Promise<T> {
  const { version } = deps;
  const { clock } = context;
  const onProgress = makeProgress(program, deps);
  return untilInterrupted(deps, (signal) => task({ config, version, clock, signal, onProgress }));
}

/** Hours as they are given, in ms. */
function parseHours(given: string): number {
  const hours = Number(given);
  if (given.trim() !== "" && hours > 0 && hours <= maxHours) return hours * 3_600_000;
  const message = `--if-older-than needs a number of hours, at most ${maxHours}.`;
  throw new AppError("bad_request", message);
}

interface BackupChoices {
  force?: boolean;
  ifOlderThan?: string;
}

async function backUpToFile(file: string, force: boolean, scope: CommandScope): Promise<void> {
  const { streams, printResultOnStderr } = scope.parts;
  const toStdout = file === "-";
  if (toStdout) {
    printResultOnStderr();
    if (isTerminal(streams.stdout)) {
      throw new AppError(
        "bad_request",
        "A backup can't be written to a terminal. Name a file or use a pipe.",
      );
    }
  }
  const config = await loadInstalled(scope.parts);
  const { backUp } = await import("./backup.ts");
  const to = toStdout ? streams.stdout : file;
  const done = await withInstance(scope, config, (options) => backUp({ ...options, to, force }));
  scope.context.print(done);
}

async function backUpToStorage(
  config: Config,
  ifOlderThanMs: number | null,
  scope: CommandScope,
): Promise<void> {
  const { backUpToStore } = await import("./backup-to-store.ts");
  const done = await withInstance(scope, config, (options) =>
    backUpToStore({ ...options, ifOlderThanMs }),
  );
  if (done.backup === null) scope.context.printNothingToDo(done);
  else scope.context.print(done);
}

async function backUpTo(
  file: string,
  { force = false, ifOlderThan }: BackupChoices,
  scope: CommandScope,
): Promise<void> {
  const ifOlderThanMs = ifOlderThan === undefined ? null : parseHours(ifOlderThan);
  if (file === "") {
    const config = await loadInstalled(scope.parts);
    if (config.storage !== null) {
      if (force) throw new AppError("bad_request", "--force is for a backup to a file.");
      return backUpToStorage(config, ifOlderThanMs, scope);
    }
  }
  if (ifOlderThanMs !== null) {
    const message = "--if-older-than is for a backup to the object store of STORAGE_URL.";
    throw new AppError("bad_request", message);
  }
  return backUpToFile(file, force, scope);
}

/** Throws for `--site`: what the bucket has below the installation's own prefix isn't of that site. */
async function assertNotForSite({ program }: CommandScope): Promise<void> {
  if (program.opts<{ site?: string }>().site === undefined) return;
  const { notForSites } = await import("./backup-to-store.ts");
  throw notForSites();
}

/** Shows the backups in the object store: those that the database lists, or what the bucket has. */
async function showBackups(fromStore: boolean, scope: CommandScope): Promise<void> {
  const { parts: deps, context } = scope;
  if (fromStore) {
    await assertNotForSite(scope);
    const { listInBucket } = await import("./stored/in-bucket.ts");
    const list = (signal: AbortSignal) => listInBucket(deps.environment(), signal);
    return context.print({ backups: await untilInterrupted(deps, list) });
  }
  const { listStored } = await import("./backup-to-store.ts");
  const config = await loadInstalled(deps);
  context.print({ backups: await withInstance(scope, config, listStored) });
}

async function deleteBackup(name: string, yes: boolean, scope: CommandScope): Promise<void> {
  if (!yes) {
    const message = `This deletes the backup ${name} for good. Repeat this with --yes.`;
    throw new AppError("bad_request", message);
  }
  const config = await loadInstalled(scope.parts);
  const { deleteStored } = await import("./backup-to-store.ts");
  await withInstance(scope, config, (options) => deleteStored(options, name));
  scope.context.print({ deleted: name });
}

interface RestoreChoices {
  into?: string;
  databaseUrlStdin?: boolean;
  fromStore?: boolean;
  keys?: string;
}

async function restoreFrom(
  given: string,
  { into, databaseUrlStdin, fromStore, keys }: RestoreChoices,
  scope: CommandScope,
): Promise<void> {
  const { program, context, parts: deps } = scope;
  if (fromStore) await assertNotForSite(scope);
  const env = deps.environment();
  const dir = resolve(into ?? env["VITRINE_DIR"] ?? "instance");
  const databaseUrl = databaseUrlStdin
    ? await context.readSecret("Database URL")
    : env["DATABASE_URL"] || null;
  const { restore } = await import("./restore.ts");
  const { clock } = context;
  const onProgress = makeProgress(program, deps);
  const done = await untilInterrupted(deps, async (signal) => {
    const { copyRecords } = deps;
    const options = { dir, databaseUrl, env, clock, signal, onProgress, copyRecords };
    const from = (file: BackupSource) => restore({ ...options, file });
    if (fromStore !== true) return from(given);
    const { withStored } = await import("./stored/in-bucket.ts");
    return withStored({ name: given, keysDir: keys, ...options }, from);
  });
  context.print(done);
}

function registerRestore(scope: CommandScope): void {
  scope.program
    .command("restore")
    .argument(
      "<file>",
      "a file made by `vitrine backup`, or with --from-store the name of a backup or `latest`",
    )
    .description("restore a backup into an empty folder")
    .option(
      "--into <folder>",
      "the folder to restore into (default: --dir, VITRINE_DIR or ./instance)",
    )
    .option("--database-url-stdin", "read the address of the PostgreSQL database from stdin")
    .option("--from-store", "restore from the object store of STORAGE_URL")
    .option("--keys <folder>", "the instance's keys, for --from-store (default: KEYS_DIR)")
    .action((file: string, given: RestoreChoices) => restoreFrom(file, given, scope));
}

/** Registers `backup` and `restore`. */
export function registerBackupCommands(
  program: Command,
  context: CliContext,
  deps: BackupDependencies,
): void {
  const scope = { program, context, parts: deps };
  const backup = program
    .command("backup")
    .argument(
      "[file]",
      "a new file or a folder, or - for stdout (default: the object store of STORAGE_URL, otherwise a file in the current folder)",
      "",
    )
    .description("back up the whole instance, even while it runs")
    .helpCommand(false)
    .option("--force", "overwrite an existing file")
    .option("--if-older-than <hours>", "only if the last backup in the object store is older")
    .action((file: string, given: BackupChoices) => backUpTo(file, given, scope));
  backup
    .command("list")
    .description("list the backups in the object store")
    .option("--from-store", "list what the bucket has, without an instance or its database")
    .action((given: { fromStore?: true }) => showBackups(given.fromStore === true, scope));
  backup
    .command("delete")
    .argument("<name>")
    .description("delete a backup in the object store")
    .option("--yes", "confirm that it is to be deleted")
    .action((name: string, { yes }: { yes?: true }) => deleteBackup(name, yes === true, scope));
  registerRestore(scope);
}
