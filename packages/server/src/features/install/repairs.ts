import { chmod, lstat, readdir, rm } from "node:fs/promises";
import { join, relative } from "node:path";
import type { Database } from "../../platform/db/connect.ts";
import { migrate, pendingMigrations } from "../../platform/db/migrate.ts";
import { findSchemaDamage, repairSchema } from "../../platform/db/schema-repair.ts";
import { exists, removeTree, undefinedIfMissing } from "../../platform/files.ts";
import { acquireLock, lockState } from "../../platform/lock.ts";
import type { InstancePaths } from "../../platform/paths.ts";
import { keyFiles } from "../../platform/secrets.ts";
import { missingTools, type SystemTool } from "../../platform/system-tools.ts";
import type { Repair } from "./repair.ts";

/** Missing programs of the operating system, which `installTools` installs if it may. */
export function toolRepair(
  tools: readonly SystemTool[],
  installTools: () => Promise<void>,
): Repair {
  return {
    name: "tools",
    async find() {
      const missing = await missingTools(tools);
      return missing.map(({ name, purpose }) => `${name} is missing; it ${purpose}.`);
    },
    fix: installTools,
  };
}

/** Migrations that haven't been applied, such as those after an interrupted one. */
export function migrationRepair(database: Database, now: () => number): Repair {
  return {
    name: "migrations",
    async find() {
      const names = await pendingMigrations(database);
      return names.map((name) => `The database lacks ${name}.`);
    },
    async fix() {
      await migrate({ database, now: now() });
    },
  };
}

/** Indexes that are missing or, with SQLite, damaged. */
export function indexRepair(database: Database): Repair {
  return {
    name: "indexes",
    find: () => findSchemaDamage(database),
    fix: () => repairSchema(database),
  };
}

/** What only the owner may read, with the rights that nobody else may have. */
async function privatePaths({
  keys,
  database,
  activeDatabase,
  logs,
}: InstancePaths): Promise<string[]> {
  const files = Object.values(keyFiles).map((name) => join(keys, name));
  const databases = ["", "-wal", "-shm"].map((suffix) => database + suffix);
  const logNames = (await undefinedIfMissing(readdir(logs))) ?? [];
  return [
    keys,
    ...files,
    ...databases,
    activeDatabase,
    logs,
    ...logNames.map((name) => join(logs, name)),
  ];
}

async function looseFiles(paths: InstancePaths): Promise<{ path: string; mode: number }[]> {
  const found = await Promise.all(
    (await privatePaths(paths)).map(async (path) => {
      const stat = await undefinedIfMissing(lstat(path));
      // The rights of a link mean nothing, and what it leads to isn't ours.
      if (stat === undefined || stat.isSymbolicLink() || (stat.mode & 0o077) === 0) return [];
      return [{ path, mode: stat.mode & 0o777 }];
    }),
  );
  return found.flat();
}

/** Rights of keys, database, and logs. */
export function modeRepair(paths: InstancePaths): Repair {
  return {
    name: "file modes",
    async find() {
      const loose = await looseFiles(paths);
      return loose.map(
        ({ path, mode }) =>
          `${relative(paths.dir, path)} has mode ${mode.toString(8)}, so others can use it.`,
      );
    },
    async fix() {
      for (const { path, mode } of await looseFiles(paths)) await chmod(path, mode & 0o700);
    },
  };
}

const temporaryName = /\.[0-9a-f]{12}\.tmp$/;
/** A file being written is younger than this, in ms. */
const abandonedAfterMs = 3_600_000;

async function abandonedFiles(paths: InstancePaths, now: number): Promise<string[]> {
  const found: string[] = [];
  for (const dir of [paths.dir, paths.data, paths.keys]) {
    for (const name of (await undefinedIfMissing(readdir(dir))) ?? []) {
      if (!temporaryName.test(name)) continue;
      const stat = await undefinedIfMissing(lstat(join(dir, name)));
      if (stat?.isFile() && now - stat.mtimeMs > abandonedAfterMs) found.push(join(dir, name));
    }
  }
  return found;
}

/** What killed processes have left and no start removes. */
export function leftoverRepair(paths: InstancePaths, now: () => number): Repair {
  const staging = join(paths.data, "backup");
  const lock = join(paths.data, "backup.lock");
  const hasStaging = async () => (await exists(staging)) && lockState(lock) !== "held";
  return {
    name: "leftovers",
    async find() {
      const files = await abandonedFiles(paths, now());
      const found = files.map((file) => `${relative(paths.dir, file)} was never completed.`);
      if (await hasStaging()) found.push("data/backup was left by a backup that was killed.");
      return found;
    },
    async fix() {
      for (const file of await abandonedFiles(paths, now())) await rm(file, { force: true });
      if (!(await hasStaging())) return;
      // Held, so that no backup begins in the meantime.
      const held = acquireLock(lock);
      if (held === null) return;
      try {
        await removeTree(staging);
      } finally {
        held.release();
      }
    },
  };
}
