import { AppError } from "../../kit/errors.ts";
import type { ProcessLock } from "../../platform/lock.ts";
import type { Log } from "../../platform/log.ts";
import type { Db } from "../../platform/db/connect.ts";
import { listenToNodes } from "../../platform/db/notifications.ts";
import { sharedFolders } from "./shared-content.ts";
import { changeMessage, type SharedStorage } from "./shared-storage.ts";
import type { Repository } from "../workspace/git.ts";

/** Keeps a node up to date with the others. */
export interface Follower {
  /**
   * Brings the node up to date, then keeps it so. If that isn't possible now, it goes on with what it has
   * and tries again.
   */
  start(): Promise<void>;
  close(): Promise<void>;
}

export interface FollowerDependencies {
  db: Db;
  shared: SharedStorage;
  databaseUrl: string;
  log: Log;
  /** That of this machine's processes, held while a release or content/ changes. */
  lock: ProcessLock;
  /** The content repository, for a process that builds. */
  repository: Repository | null;
  /** Called whenever what this node serves may have changed, whether or not this process did it. */
  onLooked?: (() => Promise<void>) | undefined;
  /** Called with what nodes tell each other, besides changes that are followed. */
  onMessage?: ((message: string) => void) | undefined;
  /** How often to look without having been told, in ms; defaults to 1,000. */
  pollMs?: number;
}

/** How long the first check waits for a change of what is live. */
const firstWaitMs = 60_000;
/** The same for later ones: files of other nodes must not wait behind a publish that waits for its turn. */
const waitMs = 500;
/** In how many looks the repository itself is looked at once, for commits made by hand. */
const looksPerRepository = 10;

/** Checks the content; git is started only if the shared `main` has moved, or now and then. */
function makeContentLook({ db, shared, repository }: FollowerDependencies): () => Promise<void> {
  let seenHead: string | null = null;
  let looks = 0;
  return async () => {
    if (repository === null) return;
    const head = await shared.content.head(db);
    const isDue = head !== seenHead || looks % looksPerRepository === 0;
    looks += 1;
    if (!isDue) return;
    await shared.content.sync(repository);
    seenHead = head;
  };
}

/** Follows what is live, and content/: not while a publish changes it, or a backup reads it. */
function makePublishedLook(deps: FollowerDependencies): (isFirst: boolean) => Promise<void> {
  const { shared, lock } = deps;
  const followContent = makeContentLook(deps);
  const follow = async () => {
    // Visitors don't wait for content/, nor does either wait for the other if it can't follow.
    const [released] = await Promise.allSettled([shared.releases.follow()]);
    await deps.onLooked?.();
    await followContent();
    if (released.status === "rejected") throw released.reason;
  };
  return async (isFirst) => {
    try {
      await lock.run(follow, { waitMs: isFirst ? firstWaitMs : waitMs });
    } catch (error) {
      // The next look tries again.
      if (isFirst || !(error instanceof AppError) || error.code !== "locked") throw error;
    }
  };
}

/** Follows the releases of other nodes, and their content where there is a repository. */
export function makeFollower(deps: FollowerDependencies): Follower {
  const { shared, lock, log, databaseUrl: url, pollMs = 1000 } = deps;
  const closing = new AbortController();
  let looking: Promise<void> | null = null;
  let isAskedAgain = false;
  let lastError = "";
  let timer: NodeJS.Timeout | undefined;
  let stopListening = async () => {};

  const followPublished = makePublishedLook(deps);

  async function look({ isFirst = false } = {}): Promise<void> {
    isAskedAgain = false;
    try {
      await shared.files.sync(sharedFolders);
      await followPublished(isFirst);
      // Another process of this node may have had the lock, and followed.
      await deps.onLooked?.();
      lastError = "";
    } catch (err) {
      // Logged once rather than every second.
      if (String(err) !== lastError) log.error({ err }, "can't follow the other nodes yet");
      lastError = String(err);
    }
    if (isAskedAgain && !closing.signal.aborted) await look();
  }

  function wake(): void {
    isAskedAgain = true;
    if (closing.signal.aborted || looking !== null) return;
    clearTimeout(timer);
    looking = look().finally(() => {
      looking = null;
      if (!closing.signal.aborted) timer = setTimeout(wake, pollMs);
    });
  }

  return {
    async start() {
      await look({ isFirst: true });
      const notifications = listenToNodes({ url, log }, (message) => {
        if (message === "" || message === changeMessage) wake();
        else deps.onMessage?.(message);
      });
      stopListening = () => notifications.close();
    },
    async close() {
      closing.abort();
      clearTimeout(timer);
      await stopListening();
      await looking;
      lock.close();
    },
  };
}
