import { readdir } from "node:fs/promises";
import type { Command } from "commander";
import { AppError } from "../../kit/errors.ts";
import type { CliContext } from "../../platform/cli.ts";
import type { Config } from "../../platform/config.ts";
import { undefinedIfMissing } from "../../platform/files.ts";

/** What this command needs besides the context. */
export interface MoveCommandDependencies {
  /** The configuration of the installed instance; throws `unavailable` if there is none. */
  config(): Promise<Config>;
  /** DATABASE_URL of this command; null without it. */
  databaseUrl(): string | null;
  onProgress(line: string): void;
  /** Calls `listener` when the user interrupts the command; returns what unregisters it. */
  onInterrupt(listener: () => void): () => void;
}

interface Options {
  to: string;
  yes?: true;
}

/** The address that `--to` means; null for SQLite. */
async function readDestination(to: string, context: CliContext): Promise<string | null> {
  if (to === "sqlite") return null;
  const { checkAddress, hasPassword } = await import("./address.ts");
  if (to === "postgres") return checkAddress(await context.readSecret("Database URL"));
  if (hasPassword(to)) {
    const message =
      "Passwords aren't accepted as arguments. Use --to postgres, and enter the address at the prompt or on stdin.";
    throw new AppError("bad_request", message);
  }
  return checkAddress(to);
}

/** Throws `invalid_state` if the database has the registry of further sites, or is another site's. */
async function assertAlone({ site, paths }: Config): Promise<void> {
  const sites = (await undefinedIfMissing(readdir(paths.sites))) ?? [];
  if (site === null && sites.length === 0) return;
  const message =
    "The database of an installation with further sites can't be moved. Remove them first, and import them again afterwards.";
  throw new AppError("invalid_state", message);
}

async function moveTo(
  { to, yes }: Options,
  context: CliContext,
  deps: MoveCommandDependencies,
): Promise<void> {
  const config = await deps.config();
  if (config.storage !== null) {
    const message =
      "Several nodes share this instance, so its database can't be moved: each of them would have to be told.";
    throw new AppError("invalid_state", message);
  }
  await assertAlone(config);
  const url = await readDestination(to, context);
  const { assertOwner, moveDatabase, planMove } = await import("./move.ts");
  const { placeName } = await import("./address.ts");
  const place = placeName({ url });
  if (place === placeName({ url: config.databaseUrl })) {
    return context.printNothingToDo({ database: place });
  }
  await assertOwner(config.paths);
  const ending = new AbortController();
  const takeBack = deps.onInterrupt(() =>
    ending.abort(new AppError("unavailable", "It was stopped. Nothing has changed.")),
  );
  const { clock } = context;
  const given = deps.databaseUrl();
  const all = { config, given, clock, signal: ending.signal, onProgress: deps.onProgress };
  try {
    const plan = await planMove(all, { url });
    if (!yes) return context.print({ ...plan, next: "To move the records, add --yes." });
    return context.print(await moveDatabase(all, { url }));
  } finally {
    takeBack();
  }
}

/** Registers `migrate-database`. */
export function registerMoveCommands(
  program: Command,
  context: CliContext,
  deps: MoveCommandDependencies,
): void {
  program
    .command("migrate-database")
    .description("move all records from SQLite to PostgreSQL or back, even while Vitrine runs")
    .requiredOption(
      "--to <database>",
      "sqlite, postgres (reads the address from a prompt or stdin), or an address without a password",
    )
    .option("--yes", "move the records; otherwise, only check the target and print what would move")
    .action((options: Options) => moveTo(options, context, deps));
}
