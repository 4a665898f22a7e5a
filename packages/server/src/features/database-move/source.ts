import type { Clock } from "../../kit/clock.ts";
import { AppError } from "../../kit/errors.ts";
import type { Config } from "../../platform/config.ts";
import { type Database, openDatabase } from "../../platform/db/connect.ts";
import { assertMigrated } from "../../platform/db/migrate.ts";
import { exists } from "../../platform/files.ts";

export interface MoveDependencies {
  config: Pick<Config, "paths" | "databaseUrl">;
  /** DATABASE_URL of this command; null without it. */
  given: string | null;
  clock: Clock;
  signal: AbortSignal;
  onProgress(line: string): void;
  /** Called after each step; tests end the process there. */
  onStep?(step: string): void;
}

/** Where records go: PostgreSQL's address, or null for the SQLite file. */
export interface Destination {
  url: string | null;
}

/** The database that has the records now. Throws if it is the target, or isn't this program's. */
export async function withSource<T>(
  { config }: MoveDependencies,
  work: (source: Database) => Promise<T>,
): Promise<T> {
  const { databaseUrl: url, paths } = config;
  if (url === null && !(await exists(paths.database))) {
    const message = "There is no data/vitrine.db. Set DATABASE_URL as for `vitrine start`.";
    throw new AppError("unavailable", message);
  }
  const source = openDatabase({ url, file: paths.database });
  try {
    await assertMigrated(source);
    return await work(source);
  } finally {
    await source.close();
  }
}
