import { join, relative } from "node:path";
import { isInstalled } from "../features/install/lock.ts";
import type { Repair } from "../features/install/repair.ts";
import {
  indexRepair,
  leftoverRepair,
  migrationRepair,
  modeRepair,
  toolRepair,
} from "../features/install/repairs.ts";
import {
  listDamagedFiles,
  repairDamagedFiles,
} from "../features/release/artifact/damaged-files.ts";
import { currentRelease, releasePath } from "../features/release/current-symlink.ts";
import { makeRepository, type Repository } from "../features/workspace/git.ts";
import { packingReason, packRepository } from "../features/workspace/maintenance.ts";
import { systemClock } from "../kit/clock.ts";
import { AppError } from "../kit/errors.ts";
import type { Config } from "../platform/config.ts";
import { type Database, openDatabase } from "../platform/db/connect.ts";
import { exists } from "../platform/files.ts";
import type { Log } from "../platform/log.ts";
import { type InstancePaths, nodeBinary, platformRoot } from "../platform/paths.ts";
import { run, systemPath } from "../platform/process.ts";
import { systemTools } from "../platform/system-tools.ts";

/** Installing Chromium and ffmpeg on a slow connection takes its time, in ms. */
const installTimeoutMs = 30 * 60_000;

const now = () => systemClock.now();

/** Installs what an instance needs, as `npm start` does. */
async function installTools(): Promise<void> {
  const script = join(platformRoot, "scripts/system-tools.ts");
  if (!(await exists(script))) throw new AppError("unavailable", "This program installs no tools.");
  await run(nodeBinary, [script], { env: { PATH: systemPath }, timeoutMs: installTimeoutMs });
}

/** Opens the database; a missing file isn't created, because that would hide what was lost. */
async function openExisting({ databaseUrl, paths }: Config): Promise<Database> {
  if (databaseUrl === null && !(await exists(paths.database))) {
    throw new AppError("unavailable", "The database file is missing. Restore a backup.");
  }
  return openDatabase({ url: databaseUrl, file: paths.database });
}

/** A repair of the database that opens it when it is needed. */
function databaseRepair(
  name: string,
  database: () => Promise<Database>,
  make: (database: Database) => Repair,
): Repair {
  return {
    name,
    find: async () => make(await database()).find(),
    fix: async () => make(await database()).fix(),
  };
}

function lockRepair(repository: Repository): Repair {
  return {
    name: "git locks",
    async find() {
      const files = await repository.listAbandonedLocks();
      const names = files.map((file) => relative(repository.contentDir, file));
      return names.map((name) => `${name} was left by a git process that was killed.`);
    },
    fix: () => repository.clearAbandonedLocks(),
  };
}

function packRepair(repository: Repository): Repair {
  return {
    name: "repository",
    async find() {
      const reason = await packingReason(repository);
      return reason === null ? [] : [reason];
    },
    fix: () => packRepository(repository),
  };
}

function releaseRepair(paths: InstancePaths): Repair {
  const folder = async () => {
    const number = await currentRelease(paths);
    return number === null ? null : releasePath(paths, number);
  };
  return {
    name: "live release",
    async find() {
      const release = await folder();
      const damaged = release === null ? [] : await listDamagedFiles(release);
      return damaged.map(({ entry, suffix }) => {
        const name = suffix === null ? entry.file : `${entry.file}.${suffix}`;
        return `${name} is missing or damaged.`;
      });
    },
    advice: "Run vitrine rebuild.",
    async fix() {
      const release = await folder();
      if (release === null) return;
      await repairDamagedFiles({ release, store: join(paths.artifacts, ".store") });
    },
  };
}

/** What `doctor --fix` can fix on this machine and in this instance, in order. */
export async function openRepairs(
  config: Config,
  log: Log,
): Promise<{ list: Repair[]; close(): Promise<void> }> {
  const { paths } = config;
  const needed = systemTools.filter(({ need }) => need === "start");
  const list = [toolRepair(needed, installTools)];
  if (!(await isInstalled(paths))) return { list, close: async () => {} };
  let opened: Promise<Database> | null = null;
  const database = () => (opened ??= openExisting(config));
  const { content, workspaces } = paths;
  const hasRepository = await exists(join(content, ".git"));
  const repository = hasRepository
    ? makeRepository({ contentDir: content, workspacesDir: workspaces, log })
    : null;
  list.push(
    // Before the database is opened: SQLite gives its other files the rights of the first.
    modeRepair(paths),
    databaseRepair("migrations", database, (one) => migrationRepair(one, now)),
    { ...databaseRepair("indexes", database, indexRepair), advice: "Restore a backup." },
    leftoverRepair(paths, now),
    ...(repository === null ? [] : [lockRepair(repository), packRepair(repository)]),
    releaseRepair(paths),
  );
  return {
    list,
    async close() {
      repository?.close();
      await (await opened?.catch(() => null))?.close();
    },
  };
}
