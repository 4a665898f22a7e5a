import { setTimeout as delay } from "node:timers/promises";
import { chooseDatabase, hashUrl } from "../../platform/active-database.ts";
import { removeTree } from "../../platform/files.ts";
import { lockState } from "../../platform/lock.ts";
import type { Log } from "../../platform/log.ts";
import type { InstancePaths } from "../../platform/paths.ts";
import { type MoveState, moveLock, pausedFile, readMoveState, writePaused } from "./state.ts";

const pollMs = 50;

export interface HoldDependencies {
  paths: InstancePaths;
  /** DATABASE_URL of the processes that pause; null without it. */
  given: string | null;
  /** Stops everything that writes. */
  pause(): Promise<void>;
  /** Starts it again; each process chooses its database then. */
  resume(): void;
  /** Ends the wait, because everything is stopped. */
  signal: AbortSignal;
  log: Log;
}

const hashOf = (url: string | null) => (url === null ? null : hashUrl(url));

/** Waits until the move is over, and resolves one whose command was killed. */
async function untilOver({ paths, signal, log }: HoldDependencies, id: string): Promise<void> {
  while (!signal.aborted) {
    if (readMoveState(paths)?.id !== id) return;
    if (lockState(moveLock(paths)) !== "held") {
      const { resolveMove } = await import("./resolve.ts");
      const resolved = await resolveMove(paths).catch((error: unknown) => {
        log.error({ err: error }, "the interrupted move of the database can't be resolved yet");
        return "unresolved";
      });
      if (resolved !== null) log.warn({ resolved }, "the move of the database was interrupted");
      // Each process tries it again when it starts.
      if (resolved !== null) return;
    }
    await delay(pollMs, undefined, { signal }).catch(() => {});
  }
}

/** Pauses everything that writes until a move to another database is over, however it ends. */
export async function holdForMove(deps: HoldDependencies, state: MoveState): Promise<void> {
  const { paths, given, log, signal } = deps;
  log.info("pausing while the database is moved");
  await deps.pause();
  try {
    const { databaseUrl } = chooseDatabase(paths, given);
    await writePaused(paths, {
      id: state.id,
      served: hashOf(databaseUrl),
      given: hashOf(given),
    });
    await untilOver(deps, state.id);
  } finally {
    await removeTree(pausedFile(paths));
    log.info("resuming after the move of the database");
    if (!signal.aborted) deps.resume();
  }
}
