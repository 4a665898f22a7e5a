import type { InstallStep } from "../features/install/install.ts";
import { folderStep } from "../features/install/steps.ts";
import { openSharedStorage, type SharedStorage } from "../features/storage/shared-storage.ts";
import { isShared } from "../features/storage/store.ts";
import { makeRepository } from "../features/workspace/git.ts";
import { createRepository } from "../features/workspace/init.ts";
import { AppError } from "../kit/errors.ts";
import type { Config } from "../platform/config.ts";
import type { Db } from "../platform/db/connect.ts";
import { exists } from "../platform/files.ts";
import type { Log } from "../platform/log.ts";
import { loadKeys } from "../platform/secrets.ts";

/** PostgreSQL's undefined_table. */
const noSuchTable = "42P01";

/** Whether the database belongs to an instance whose nodes share their storage; false without a schema. */
export async function hasOtherNodes(db: Db): Promise<boolean> {
  try {
    return await isShared(db);
  } catch (error) {
    if ((error as { code?: unknown }).code === noSuchTable) return false;
    throw error;
  }
}

async function assertKeys(dir: string): Promise<void> {
  await loadKeys(dir).catch((cause: unknown) => {
    const message = `This node needs the keys of the others: copy their data/keys to ${dir}, or name a folder with KEYS_DIR.`;
    throw new AppError("unavailable", message, { cause });
  });
}

/** The steps that make an empty folder a node of an instance that exists elsewhere. */
export function joinSteps(config: Config, db: Db, log: Log): InstallStep[] {
  const { paths } = config;
  const withStorage = async (work: (shared: SharedStorage) => Promise<void>) => {
    const shared = openSharedStorage(config, db);
    try {
      if (shared !== null) await work(shared);
    } finally {
      await shared?.close();
    }
  };
  return [
    { name: "keys", run: () => assertKeys(paths.keys) },
    folderStep(paths),
    {
      name: "configuration",
      run: () =>
        withStorage(async ({ files }) => {
          if (!(await exists(paths.configFile))) await files.fetch([paths.configFile]);
        }),
    },
    {
      name: "content",
      run: () =>
        withStorage(async ({ content }) => {
          const { content: contentDir, workspaces: workspacesDir } = paths;
          const options = { contentDir, workspacesDir, log, remote: content };
          const repository = makeRepository(options);
          try {
            await createRepository(repository);
            await content.sync(repository);
          } finally {
            repository.close();
          }
        }),
    },
    { name: "live release", run: () => withStorage(({ releases }) => releases.follow()) },
  ];
}
