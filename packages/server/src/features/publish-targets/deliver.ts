import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { AppError, toAppError } from "../../kit/errors.ts";
import { isoTime } from "../../kit/time.ts";
import type { Db } from "../../platform/db/connect.ts";
import { removeTree } from "../../platform/files.ts";
import type { InstancePaths } from "../../platform/paths.ts";
import type { Keyring } from "../../platform/secrets.ts";
import type { WorkerPool } from "../../platform/worker-pool.ts";
import { prepareCopy } from "./copy/site-copy.ts";
import { kindOf } from "./kinds/kinds.ts";
import type { Delivery, DeliveryProgress, KindDependencies, Marks } from "./kinds/target-kind.ts";
import { deleteMarks, putMarks, readMarks, readState, writeState } from "./mark-store.ts";
import type { TargetSettings } from "./schema.ts";
import * as store from "./store.ts";
import { unsealSecret } from "./target-secret.ts";
import { targetsFolder } from "./targets.ts";

export interface DeliverDependencies {
  db: Db;
  paths: InstancePaths;
  keyring: Keyring;
  workers: WorkerPool;
  kinds: KindDependencies;
  /** This server's address. */
  baseUrl: string;
}

/** After a failed attempt: at first half a minute, then twice as long each time, up to an hour. */
const firstRetryMs = 30_000;
const maxRetryMs = 60 * 60_000;
/** About five hours. After that, the next publish or the owner starts again. */
const maxAttempts = 10;

/** Ends a delivery whose target was changed, paused, or removed. */
class Superseded extends AppError {
  constructor() {
    super("conflict", "The publish target was changed while something was sent to it.");
  }
}

/** When to try again after so many failed attempts, in ms; null for never. */
export function retryDelay(attempts: number, random: () => number): number | null {
  if (attempts >= maxAttempts) return null;
  const delay = Math.min(maxRetryMs, firstRetryMs * 2 ** (attempts - 1));
  // Several targets of one server, or several servers, don't all come back at once.
  return Math.round(delay * (0.75 + random() / 2));
}

/** What was sent so far, stored for the console; throws Superseded. */
function makeProgress(
  db: Db,
  row: store.TargetRow,
  release: number,
): DeliveryProgress & { sent: { files: number; bytes: number } } {
  const sent = { files: 0, bytes: 0 };
  let totalFiles = 0;
  const keep = async () => {
    const progress = { release, totalFiles, doneFiles: sent.files };
    if (!(await store.updateProgress(db, row, progress))) throw new Superseded();
  };
  return {
    sent,
    async expect(files) {
      totalFiles = files;
      sent.files = Math.min(sent.files, files);
      await keep();
    },
    async add(files, bytes) {
      sent.files += files;
      sent.bytes += bytes;
      await keep();
    },
  };
}

function makeMarks(db: Db, id: number): Marks {
  return {
    read: () => readMarks(db, id),
    begin: (paths) =>
      putMarks(
        db,
        id,
        paths.map((path) => ({ path, mark: "" })),
      ),
    acknowledge: (files) => putMarks(db, id, files),
    forget: (paths) => deleteMarks(db, id, paths),
  };
}

async function send(
  deps: DeliverDependencies,
  row: store.TargetRow,
  { release, signal }: { release: number; signal: AbortSignal },
): Promise<{ files: number; bytes: number }> {
  const { db, paths, keyring, baseUrl, kinds } = deps;
  const { id, settings, forms, revision } = row;
  const secret = unsealSecret(keyring, row.sealed, settings);
  if (secret === null) {
    throw new AppError(
      "invalid_state",
      "The key or token is missing. Edit the target to enter it.",
    );
  }
  const progress = makeProgress(db, row, release);
  await progress.expect(0);
  const folder = join(targetsFolder(paths), String(id));
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const origin = new URL(baseUrl).origin;
  const copy = await prepareCopy(deps, { release, forms, origin, folder, signal });
  const state = {
    read: () => readState(db, id),
    write: (text: string | null) => writeState(db, row, text),
  };
  const marks = makeMarks(db, id);
  const delivery: Delivery<TargetSettings> = {
    settings,
    secret,
    folder,
    signal,
    copy,
    revision,
    marks,
    progress,
    state,
  };
  await kindOf(settings).deliver(kinds, delivery);
  await removeTree(copy.folder);
  return progress.sent;
}

async function recordFailure(
  { db, kinds }: DeliverDependencies,
  row: store.TargetRow,
  { release, error }: { release: number; error: unknown },
): Promise<void> {
  const attempts = row.release === release ? row.attempts + 1 : 1;
  const delay = retryDelay(attempts, kinds.random);
  const nextAttemptAt = delay === null ? null : isoTime(kinds.clock.now() + delay);
  const { message } = toAppError(error);
  kinds.log.warn({ err: error, target: row.id, release, attempts }, "a release can't be sent");
  await store.recordFailure(db, row, { release, attempts, error: message, nextAttemptAt });
}

/**
 * Sends a release to a target and stores the result. Can be killed at any time: the next attempt
 * continues. The caller holds the target's lock. Throws only on abort, or if the database can't be
 * reached.
 */
export async function deliver(
  deps: DeliverDependencies,
  row: store.TargetRow,
  { release, signal }: { release: number; signal: AbortSignal },
): Promise<void> {
  const { db, kinds } = deps;
  try {
    const sent = await send(deps, row, { release, signal });
    const at = isoTime(kinds.clock.now());
    await store.recordSent(db, row, { release, at, ...sent });
    kinds.log.info({ target: row.id, release, ...sent }, "a release was sent");
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Superseded) return;
    await recordFailure(deps, row, { release, error });
  }
}
