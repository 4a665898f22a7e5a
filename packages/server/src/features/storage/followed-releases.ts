import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { sha256Hex } from "../../kit/hash.ts";
import type { Db } from "../../platform/db/connect.ts";
import { deleteRef, keepNewestRefs, listRecentRefs, putRef } from "./store.ts";

/** What precedes the name of a node. */
const prefix = "node/";
/** How often a node says which release it serves, and after what time without that it counts as lost, in ms. */
const sayEveryMs = 5000;
const lostMs = 20_000;
/** How often a publish that waits checks the other nodes, in ms. */
const lookEveryMs = 50;
const keptNodes = { maxAgeMs: 24 * 60 * 60_000, count: 200 };

/**
 * Which release each node serves. A publish counts as live once all nodes serve it, so that its owner sees
 * it through any of them.
 */
export interface FollowedReleases {
  /** Says which release this node serves. */
  put(release: number): Promise<void>;
  /** Waits until all other nodes serve a release, but no longer than `maxMs`. Never throws. */
  wait(release: number, maxMs: number): Promise<void>;
  /** Has nobody wait for this node, which is being stopped. */
  remove(): Promise<void>;
}

export interface FollowedReleasesDependencies {
  db: Db;
  /** The node's folder. */
  dir: string;
}

/** Machines that were copied can have one host name, but not one ID of what they have started. */
function machine(): string {
  try {
    return hostname() + readFileSync("/proc/sys/kernel/random/boot_id", "utf8");
  } catch {
    return hostname();
  }
}

/** Opens them for the node with this folder, of whose processes any says what it serves. */
export function makeFollowedReleases(deps: FollowedReleasesDependencies): FollowedReleases {
  const { db, dir } = deps;
  const own = prefix + sha256Hex(`${machine()}:${dir}`).slice(0, 16);
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
    async wait(release, maxMs) {
      const stop = new AbortController();
      const { signal } = stop;
      const isBehind = async () => {
        // Whether the other nodes are waited for decides nothing, so a failure must not end a publish.
        const refs = await listRecentRefs(db, prefix, lostMs).catch(() => []);
        return refs.some(({ name, objectId }) => name !== own && Number(objectId) < release);
      };
      const untilFollowed = async () => {
        while (!signal.aborted && (await isBehind())) await delay(lookEveryMs);
      };
      // A database that doesn't answer isn't waited for either.
      await Promise.race([untilFollowed(), delay(maxMs, undefined, { signal }).catch(() => {})]);
      stop.abort();
    },
    async remove() {
      said = { release: 0, at: Number.NEGATIVE_INFINITY };
      await deleteRef(db, own);
    },
  };
}
