import { setTimeout as delay } from "node:timers/promises";
import type { Config } from "../../platform/config.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { ProcessLock } from "../../platform/lock.ts";
import { AppError } from "../../kit/errors.ts";
import { createLog } from "../../platform/log.ts";
import { openPublishLock } from "../release/current-symlink.ts";
import { sharedFolders } from "../storage/shared-content.ts";
import { openSharedStorage } from "../storage/shared-storage.ts";
import { isShared } from "../storage/store.ts";
import { makeRepository, type Repository } from "../workspace/git.ts";

/** What a backup needs to have everything of an instance, whichever node has stored it. */
export interface SharedState {
  /** Held while something is published, on any node. */
  lock: ProcessLock;
  /** Gets what other nodes have stored: the content, its files, and the live release. */
  update(): Promise<void>;
  /** Throws `locked` if any node has published since the update, as it can if the lock was lost. */
  assertUnmoved(): Promise<void>;
  /** Gets the files that other nodes have stored since. */
  updateFiles(): Promise<void>;
  close(): Promise<void>;
}

/** The runner of this node may do the same at the same moment. */
const maxAttempts = 3;
const pauseMs = 200;

async function persist(work: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt >= maxAttempts) throw error;
    }
    await delay(pauseMs);
  }
}

function openRepository({ paths }: Config, shared: { content: Repository["remote"] }): Repository {
  const { content: contentDir, workspaces: workspacesDir } = paths;
  const log = createLog({ level: "silent", name: "backup" });
  return makeRepository({ contentDir, workspacesDir, log, remote: shared.content });
}

/** Opens the state of an instance; on one disk, there is nothing to get from anywhere. */
export function openSharedState(config: Config, db: Db): SharedState {
  const local = openPublishLock(config.paths);
  const shared = openSharedStorage(config, db);
  if (shared === null) {
    const nothing = async () => {};
    const methods = { update: nothing, assertUnmoved: nothing, updateFiles: nothing };
    return { lock: local, ...methods, close: async () => local.close() };
  }
  const repository = openRepository(config, shared);
  const lock = shared.lock("publish", local);
  /** The shared `main` and the newest release. */
  const findPosition = async () =>
    `${await shared.content.head(db)} ${await shared.releases.highest()}`;
  let updatedTo: string | null = null;
  const assertAt = async (position: string) => {
    if ((await findPosition()) === position) return;
    throw new AppError("locked", "Another node has published during the backup. Try again.");
  };
  const update = async () => {
    const position = await findPosition();
    await shared.content.sync(repository);
    await shared.releases.follow();
    // The other way round if this node has commits that were made by hand: the next attempt finds them.
    await assertAt(position);
    updatedTo = position;
  };
  return {
    lock,
    update: async () => ((await isShared(db)) ? persist(update) : undefined),
    assertUnmoved: async () => (updatedTo === null ? undefined : assertAt(updatedTo)),
    updateFiles: async () =>
      (await isShared(db)) ? persist(() => shared.files.sync(sharedFolders)) : undefined,
    async close() {
      lock.close();
      repository.close();
      await shared.close();
    },
  };
}
