import { listenToNodes } from "../../platform/db/notifications.ts";
import type { Log } from "../../platform/log.ts";
import type { SiteRegistry } from "./registry.ts";
import type { SiteChange } from "./store.ts";

export interface FollowOptions {
  registry: Pick<SiteRegistry, "lastChange" | "changesAfter">;
  /** The registry's PostgreSQL, which announces changes; null for SQLite. */
  url: string | null;
  /** Called with new changes in order; null: some were missed, so everything may have changed. */
  onChanges(changes: SiteChange[] | null): void;
  log: Log;
  /** How often to look, in ms; defaults to 500, and to 5,000 behind announcements. */
  pollMs?: number;
}

export interface FollowedChanges {
  close(): Promise<void>;
}

/** Follows the registry's changes, also those of other processes, from now on. */
export async function followChanges(options: FollowOptions): Promise<FollowedChanges> {
  const { registry, url, onChanges, log } = options;
  const { pollMs = url === null ? 500 : 5000 } = options;
  let last = await registry.lastChange();
  let looking: Promise<void> | null = null;
  let isWanted = false;

  async function look(): Promise<void> {
    const changes = await registry.changesAfter(last);
    if (changes?.length === 0) return;
    last = changes?.at(-1)?.id ?? (await registry.lastChange());
    onChanges(changes);
  }

  async function lookUntilDone(): Promise<void> {
    while (isWanted) {
      isWanted = false;
      await look().catch((error: unknown) => {
        log.error({ err: error }, "the registry of sites can't be read");
      });
    }
    looking = null;
  }

  // One at a time: what is announced while it looks may have been too late for it.
  const lookSoon = () => {
    isWanted = true;
    looking ??= lookUntilDone();
  };
  const timer = setInterval(lookSoon, pollMs);
  const listener = url === null ? null : listenToNodes({ url, log }, lookSoon);
  return {
    async close() {
      clearInterval(timer);
      await listener?.close();
      isWanted = false;
      await looking;
    },
  };
}
