import { copyFile, cp, mkdir, symlink } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "../../kit/clock.ts";
import { AppError } from "../../kit/errors.ts";
import type { Config, Environment } from "../../platform/config.ts";
import { openDatabase } from "../../platform/db/connect.ts";
import { migrate } from "../../platform/db/migrate.ts";
import { exists, removeTree } from "../../platform/files.ts";
import { instancePaths, type InstancePaths } from "../../platform/paths.ts";
import { restore } from "../backup/restore.ts";
import { currentRelease } from "../release/current-symlink.ts";
import { rebuildEnd, rebuildFailure, requestRebuildWithId } from "../release/rebuild-requests.ts";
import { checkPages, livePages, type LocalSite } from "./check-pages.ts";
import { trialFolder } from "./commit.ts";

/** How long the site may take to build, in ms. */
const buildTimeoutMs = 15 * 60_000;
const pollMs = 100;

/**
 * `build` also builds the site once, in a copy of everything; `look` changes nothing but the
 * database, because the rest of the instance is the real one.
 */
export type TrialMode = "build" | "look";

/** What a trial of this program needs. */
export interface TrialDependencies {
  clock: Clock;
  signal: AbortSignal;
  /** Environment variables that reach its processes. */
  env: Environment;
  /** Starts web and runner on ports of their own. Throws with the reason if they don't start. */
  serve(env: Environment, mode: TrialMode): Promise<{ site: LocalSite; close(): Promise<void> }>;
  onProgress(line: string): void;
}

/** What a trial did. */
export interface TrialResult {
  /** The migrations that were applied to the copy. */
  migrated: string[];
  /** The pages that were compared. */
  pages: string[];
  hasBuilt: boolean;
}

/** Waits until the site was built; throws `unavailable` if it can't be. */
async function waitForBuild(
  database: ReturnType<typeof openDatabase>,
  id: number,
  signal: AbortSignal,
): Promise<void> {
  const deadline = performance.now() + buildTimeoutMs;
  for (;;) {
    signal.throwIfAborted();
    const end = await rebuildEnd(database.db, id);
    if (end?.error) {
      const message = `The new version can't build the site: ${end.error}`.slice(0, 1000);
      throw new AppError("unavailable", message);
    }
    if (end !== null) return;
    if (performance.now() > deadline) {
      throw new AppError("unavailable", "With the new version, the site takes too long to build.");
    }
    await delay(pollMs, undefined, { signal });
  }
}

/** Starts on the trial instance in `paths`, compares pages, and lets it build the site. */
async function look(
  deps: TrialDependencies,
  paths: InstancePaths,
  { databaseUrl, mode }: { databaseUrl: string | null; mode: TrialMode },
): Promise<Pick<TrialResult, "pages" | "hasBuilt">> {
  const pages = await livePages(paths);
  const database = openDatabase({ url: databaseUrl, file: paths.database });
  try {
    // A site that can't be built with the present version either is no reason to stay.
    const builds = mode === "build" && (await rebuildFailure(database.db)) === null;
    const request = { reason: "Trying a new version", now: deps.clock.now() };
    const rebuild = builds ? await requestRebuildWithId(database.db, request) : null;
    deps.onProgress("Starting the new version on a copy");
    const env = { ...deps.env, VITRINE_DIR: paths.dir, DATABASE_URL: databaseUrl ?? "" };
    const running = await deps.serve(env, mode);
    try {
      deps.onProgress(`Comparing ${pages.length} pages`);
      await checkPages(running.site, pages);
      if (rebuild !== null) {
        deps.onProgress("Building the site with the new version");
        await waitForBuild(database, rebuild, deps.signal);
        await checkPages(running.site, pages);
      }
    } finally {
      await running.close();
    }
    return { pages: pages.map(({ path }) => path), hasBuilt: builds };
  } finally {
    await database.close();
  }
}

/**
 * Tries this program on a restored backup: migrates it, serves it on ports of its own, compares
 * pages with those of the backup, and builds the site. Nothing of the instance is touched. Throws
 * with what is wrong.
 */
export async function tryBackup(
  deps: TrialDependencies,
  { paths }: Pick<Config, "paths">,
  { file, databaseUrl }: { file: string; databaseUrl: string | null },
): Promise<TrialResult> {
  const { clock, signal, env, onProgress } = deps;
  const dir = trialFolder(paths);
  await removeTree(dir);
  try {
    const restored = await restore({ file, dir, databaseUrl, env, clock, signal, onProgress });
    const copy = instancePaths(dir);
    const seen = await look(deps, copy, { databaseUrl, mode: "build" });
    return { migrated: restored.migrated, ...seen };
  } finally {
    await removeTree(dir);
  }
}

/** An instance of its own around a copy of the database: all else is the real one, by links. */
async function linkInstance(paths: InstancePaths, dir: string): Promise<InstancePaths> {
  const trial = instancePaths(dir);
  await mkdir(trial.data, { recursive: true, mode: 0o700 });
  for (const folder of [trial.workspaces, trial.artifacts, trial.uploads, trial.builders]) {
    await mkdir(folder, { recursive: true });
  }
  await copyFile(paths.configFile, trial.configFile);
  await copyFile(paths.installLock, trial.installLock);
  await cp(paths.keys, trial.keys, { recursive: true });
  for (const name of ["content", "releases", "references"] as const) {
    if (await exists(paths[name])) await symlink(paths[name], trial[name]);
  }
  const release = await currentRelease(paths);
  if (release !== null) await symlink(`releases/${release}`, trial.current);
  return trial;
}

/**
 * Tries this program on a copy of the current database, which stays migrated: for SQLite, `file` in
 * the data folder of a new trial instance; for PostgreSQL, the copy at `databaseUrl`. Nobody else
 * may work on the instance. Throws with what is wrong.
 */
export async function tryDatabase(
  deps: TrialDependencies,
  { paths }: Pick<Config, "paths">,
  copy: { file: string | null; databaseUrl: string | null },
): Promise<TrialResult> {
  const dir = copy.file === null ? trialFolder(paths) : dirname(dirname(copy.file));
  if (copy.file !== null && copy.file !== instancePaths(dir).database) {
    throw new AppError("bad_request", `${copy.file} must be data/vitrine.db of a new folder.`);
  }
  const trial = await linkInstance(paths, dir);
  const { databaseUrl } = copy;
  const database = openDatabase({ url: databaseUrl, file: trial.database });
  let applied: string[];
  try {
    ({ applied } = await migrate({ database, now: deps.clock.now() }));
  } finally {
    await database.close();
  }
  return { migrated: applied, ...(await look(deps, trial, { databaseUrl, mode: "look" })) };
}
