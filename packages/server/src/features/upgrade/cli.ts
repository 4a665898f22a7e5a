import { resolve } from "node:path";
import type { Command } from "commander";
import { AppError } from "../../kit/errors.ts";
import type { CliContext } from "../../platform/cli.ts";
import type { Config } from "../../platform/config.ts";
import type { TrialResult } from "./trial.ts";
import type { UpgradeState } from "./state.ts";
import type { UpgradeDependencies } from "./upgrade.ts";

/** What these commands need besides the context. */
export interface UpgradeCommandDependencies {
  version: string;
  /** The configuration of the installed instance; throws `unavailable` if there is none. */
  config(): Promise<Config>;
  /** Runs `task` with a signal that aborts when the user interrupts it. */
  untilInterrupted<T>(task: (signal: AbortSignal) => Promise<T>): Promise<T>;
  openUpgrade(
    config: Config,
    options: { from: string | null; signal: AbortSignal; onProgress(line: string): void },
  ): Promise<UpgradeDependencies>;
  tryBackup(config: Config, backup: string): Promise<TrialResult>;
  /** `file`: null for a copy at DATABASE_URL. */
  tryDatabase(config: Config, file: string | null): Promise<TrialResult>;
  /** Migrates and ends a committed upgrade. */
  finish(config: Config): Promise<{ applied: string[]; finished: boolean }>;
  onProgress(line: string): void;
}

interface Options {
  to?: string;
  from?: string;
  check?: true;
  withoutTrial?: true;
}

const next: Partial<Record<UpgradeState["phase"], string>> = {
  committed: "The new version is in place, but hasn't started yet. Start Vitrine, or see its log.",
};

function resultOf(state: UpgradeState) {
  const { from, to, phase, backup } = state;
  return { from, to, phase, backup, ...(next[phase] ? { next: next[phase] } : {}) };
}

/** Throws with why an upgrade failed, and that nothing has changed. */
function assertUpgraded(state: UpgradeState): void {
  if (state.phase !== "failed") return;
  const reason = (state.reason ?? "it was interrupted").replace(/\.$/, "");
  const message = `Version ${state.from} stays in place, and nothing has changed. ${state.step}: ${reason}.`;
  throw new AppError("unavailable", message, { details: state });
}

async function upgrade(
  { to, from, check, withoutTrial }: Options,
  context: CliContext,
  deps: UpgradeCommandDependencies,
): Promise<void> {
  const config = await deps.config();
  const { findNewerVersion, upgradeInstance } = await import("./upgrade.ts");
  await deps.untilInterrupted(async (signal) => {
    const folder = from === undefined ? null : resolve(from);
    const { onProgress } = deps;
    const opened = await deps.openUpgrade(config, { from: folder, signal, onProgress });
    const version = await findNewerVersion(opened, to ?? null);
    const found = { version: deps.version, newer: version };
    if (version === null) return context.printNothingToDo(found);
    if (check) return context.print(found);
    const options = { to: version, withoutTrial: withoutTrial === true };
    const state = await upgradeInstance(opened, version, options);
    assertUpgraded(state);
    return context.print(resultOf(state));
  });
}

/** Registers `upgrade`, and the commands that one version has another run. */
export function registerUpgradeCommands(
  program: Command,
  context: CliContext,
  deps: UpgradeCommandDependencies,
): void {
  program
    .command("upgrade")
    .description("back up, try a newer version on a copy, and switch to it if it works there")
    .option("--check", "only say whether there is a newer version")
    .option("--to <version>", "the version to upgrade to (default: the newest)")
    .option("--from <folder>", "a folder with a complete newer Vitrine instead of a download")
    .option("--without-trial", "PostgreSQL: don't try the new version on a copy of the database")
    .action((options: Options) => upgrade(options, context, deps));
  program
    .command("upgrade-trial", { hidden: true })
    .description("try this version on a copy of the instance")
    .option("--backup <file>", "a backup to restore into a new folder")
    .option("--database <file>", "a copy of the SQLite database in a new folder")
    .option("--copied", "DATABASE_URL is a copy of the PostgreSQL database")
    .action(async (options: { backup?: string; database?: string; copied?: true }) => {
      const config = await deps.config();
      const { backup, database, copied } = options;
      if ([backup, database, copied].filter((one) => one !== undefined).length !== 1) {
        throw new AppError("bad_request", "Use one of --backup, --database, and --copied.");
      }
      context.print(
        backup === undefined
          ? await deps.tryDatabase(config, database === undefined ? null : resolve(database))
          : await deps.tryBackup(config, resolve(backup)),
      );
    });
  program
    .command("upgrade-finish", { hidden: true })
    .description("migrate, and end an upgrade to this version")
    .action(async () => context.print(await deps.finish(await deps.config())));
}
