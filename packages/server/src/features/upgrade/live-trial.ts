import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { AppError } from "../../kit/errors.ts";
import type { Config, Environment } from "../../platform/config.ts";
import { removeTree } from "../../platform/files.ts";
import { runProgram } from "./run-program.ts";
import type { LiveTrial } from "./switch.ts";

/** How long commands may still use the database, in ms. */
const waitForOthersMs = 20_000;
const pollMs = 250;

interface LiveTrialOptions {
  config: Pick<Config, "dir" | "paths" | "databaseUrl">;
  /** The new program's command. */
  command: string;
  env: Environment;
  signal: AbortSignal;
  /** Whether to do without a copy of a PostgreSQL database. */
  withoutTrial: boolean;
}

async function assertUnused(url: string, signal: AbortSignal): Promise<void> {
  const { countOtherSessions } = await import("../../platform/db/scratch.ts");
  const deadline = performance.now() + waitForOthersMs;
  while ((await countOtherSessions(url)) > 0) {
    if (performance.now() > deadline) {
      const message =
        "Another process uses the database. End all commands, and web or runner processes that were started separately.";
      throw new AppError("in_use", message);
    }
    await delay(pollMs, undefined, { signal });
  }
}

/**
 * Has another program try the current data, in a process of its own. What PostgreSQL needs is loaded
 * only then: the supervisor keeps this module in memory.
 */
export function makeLiveTrial(options: LiveTrialOptions): LiveTrial {
  const { config, command, env, signal, withoutTrial } = options;
  const { dir, paths, databaseUrl } = config;
  const trial = async (args: string[], own: Environment) => {
    const all = ["--dir", dir, "upgrade-trial", ...args];
    await runProgram(command, all, { env: { ...env, ...own }, signal });
  };
  async function tryPostgres(url: string): Promise<void> {
    await assertUnused(url, signal);
    if (withoutTrial) return;
    const { dumpPostgres, restorePostgres } = await import("../../platform/db/dump.ts");
    const { withScratchDatabase } = await import("./scratch-database.ts");
    const dump = join(paths.upgrade, "database.dump");
    try {
      await removeTree(dump);
      await dumpPostgres(url, dump, signal);
      await withScratchDatabase(paths, url, async (scratchUrl) => {
        await restorePostgres(scratchUrl, dump, signal);
        await trial(["--copied"], { DATABASE_URL: scratchUrl });
      });
    } finally {
      await removeTree(dump);
    }
  }
  return {
    database: (file) => trial(["--database", file], {}),
    postgres: databaseUrl === null ? null : () => tryPostgres(databaseUrl),
  };
}
