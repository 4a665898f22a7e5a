import { chmod, cp, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../../kit/errors.ts";
import { isTimeZone } from "../../kit/time.ts";
import type { Database } from "../../platform/db/connect.ts";
import { migrate } from "../../platform/db/migrate.ts";
import { exists, fsyncFile, fsyncFolder, writeFileAtomic } from "../../platform/files.ts";
import type { InstancePaths } from "../../platform/paths.ts";
import { createKeys, loadKeys } from "../../platform/secrets.ts";
import type { InstallStep } from "./install.ts";

/** The answers that an installation needs; the rest of vitrine.json has defaults. */
export interface InstallAnswers {
  ownerName: string;
  baseUrl: string;
  timeZone: string;
  /** The web process's port, if it isn't the default. */
  port?: number;
  /** Other keys of vitrine.json. */
  settings?: Readonly<Record<string, unknown>>;
}

/** The folders of an instance. */
export function folderStep(paths: InstancePaths): InstallStep {
  return {
    name: "folders",
    async run() {
      const { workspaces, artifacts, releases, uploads, builders } = paths;
      for (const dir of [workspaces, artifacts, releases, uploads, builders]) {
        await mkdir(dir, { recursive: true });
      }
      await fsyncFolder(paths.data);
    },
  };
}

/** The keys. If a database exists without them, new keys couldn't decrypt its content. */
export function keyStep(paths: InstancePaths): InstallStep {
  return {
    name: "keys",
    async run() {
      if (await exists(paths.database)) await loadKeys(paths.keys);
      else await createKeys(paths.keys);
    },
  };
}

/** vitrine.json, unless the owner has provided one. */
export function configurationStep(paths: InstancePaths, answers: InstallAnswers): InstallStep {
  const { ownerName, timeZone, baseUrl, port, settings } = answers;
  const values = {
    baseUrl,
    ...(port === undefined ? {} : { port }),
    owner: { name: ownerName, timeZone },
    ...settings,
  };
  return {
    name: "configuration",
    async run() {
      if (await exists(paths.configFile)) return;
      await writeFileAtomic(paths.configFile, `${JSON.stringify(values, null, 2)}\n`);
    },
  };
}

/**
 * Copies a folder over existing files and syncs everything to disk. Empty folders aren't in a git
 * checkout but are part of the layout.
 */
async function copyDurably(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  if (await exists(from)) await cp(from, to, { recursive: true });
  for (const entry of await readdir(to, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) await fsyncFile(path);
    if (entry.isDirectory()) await fsyncFolder(path);
  }
  await fsyncFolder(to);
}

/**
 * The site's source: copies the named folders of the template to content/. Once `isCommitted`, it
 * stays, because a newer template would appear as changes.
 */
export function contentStep(
  paths: InstancePaths,
  template: { dir: string; folders: readonly string[] },
  isCommitted: () => Promise<boolean>,
): InstallStep {
  return {
    name: "content",
    async run() {
      if (await isCommitted()) return;
      for (const folder of template.folders) {
        await copyDurably(join(template.dir, folder), join(paths.content, folder));
      }
      await fsyncFolder(paths.content);
    },
  };
}

/** The database with its schema; a file is readable only by its owner. */
export function databaseStep(paths: InstancePaths, open: () => Database, now: number): InstallStep {
  return {
    name: "database",
    async run() {
      const database = open();
      if (database.dialect === "sqlite") await chmod(paths.database, 0o600);
      await migrate({ database, now });
    },
  };
}

/** Throws `validation_failed` if the answers don't make a valid configuration. */
export function checkAnswers(answers: InstallAnswers): void {
  const fields: Record<string, string> = {};
  if (answers.ownerName.trim() === "" || answers.ownerName.length > 120) {
    fields["ownerName"] = "must be 1 to 120 characters";
  }
  const url = URL.parse(answers.baseUrl);
  if (
    url === null ||
    !/^https?:$/.test(url.protocol) ||
    url.pathname !== "/" ||
    url.search !== ""
  ) {
    fields["baseUrl"] = "must be an address such as https://example.org";
  }
  if (!isTimeZone(answers.timeZone)) {
    fields["timeZone"] = "must be a time zone such as Europe/Stockholm";
  }
  const [first] = Object.entries(fields);
  if (first) throw new AppError("validation_failed", `${first[0]} ${first[1]}.`, { fields });
}
