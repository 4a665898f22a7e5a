import { hostname } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { sha256Hex } from "../../kit/hash.ts";
import type { Db } from "../../platform/db/connect.ts";
import { keepNewestRefs, listRecentRefs, putRef } from "./store.ts";

/** What precedes the name of a node. */
const prefix = "node/";
/** How often a node says which release it serves, and after what time without that it counts as lost, in ms. */
const sayEveryMs = 5000;
const lostMs = 20_000;
/** How long a publish waits for the other nodes, and how often it looks, in ms. */
const defaultMaxWaitMs = 5000;
const lookEveryMs = 50;
const keptNodes = { maxAgeMs: 24 * 60 * 60_000, count: 200 };

/**
 * Which release each node serves. A publish counts as live once all nodes serve it, so that its owner sees
 * it through any of them.
 */
export interface FollowedReleases {
  /** Says which release this node serves. */
  put(release: number): Promise<void>;
  /** Waits until all other nodes serve a release, but no longer than 5 s. */
  wait(release: number): Promise<void>;
}

export interface FollowedReleasesDependencies {
  db: Db;
  /** The node's folder. */
  dir: string;
  maxWaitMs?: number;
}

/** Opens them for the node with this folder, of whose processes one says what it serves. */
export function makeFollowedReleases(deps: FollowedReleasesDependencies): FollowedReleases {
  const { db, dir, maxWaitMs = defaultMaxWaitMs } = deps;
  const own = prefix + sha256Hex(`${hostname()}:${dir}`).slice(0, 16);
  let said = { release: 0, at: Number.NEGATIVE_INFINITY };
  return {
    async put(release) {
      const now = performance.now();
      if (release === said.release && now - said.at < sayEveryMs) return;
      const isFirst = said.release === 0;
      await putRef(db, own, String(release));
      said = { release, at: now };
      if (isFirst) await keepNewestRefs(db, prefix, keptNodes);
    },
    async wait(release) {
      const deadline = performance.now() + maxWaitMs;
      for (;;) {
        // Whether the other nodes are waited for decides nothing, so a failure must not end a publish.
        const refs = await listRecentRefs(db, prefix, lostMs).catch(() => []);
        const isBehind = refs.some(
          ({ name, objectId }) => name !== own && Number(objectId) < release,
        );
        if (!isBehind || performance.now() > deadline) return;
        await delay(lookEveryMs);
      }
    },
  };
}
