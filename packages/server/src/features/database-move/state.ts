import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { readActiveDatabase } from "../../platform/active-database.ts";
import { AppError } from "../../kit/errors.ts";
import { parseJson } from "../../kit/json.ts";
import {
  removeTemporaryFiles,
  removeTree,
  undefinedIfMissing,
  writeFileAtomic,
} from "../../platform/files.ts";
import { lockState } from "../../platform/lock.ts";
import type { InstancePaths } from "../../platform/paths.ts";

/** `url`: PostgreSQL's address with its password; null for the SQLite file. */
const placeSchema = z.object({ url: z.string().nullable() });

/**
 * A move that isn't complete; afterwards, there is no state. `copying`: nothing of the instance
 * changes. `ready`: who serves is asked to pause. `switching`: nothing is written to either
 * database except by the move.
 */
const stateSchema = z.object({
  id: z.string(),
  phase: z.enum(["copying", "ready", "switching"]),
  from: placeSchema,
  to: placeSchema,
  startedAt: z.string(),
});
export type MoveState = z.infer<typeof stateSchema>;

type Paths = Pick<InstancePaths, "databaseMove">;

export const stateFile = ({ databaseMove }: Paths) => join(databaseMove, "state.json");
/** Held by the command for the whole move, and by who recovers from its end. */
export const moveLock = ({ databaseMove }: Paths) => join(databaseMove, "move.lock");
/** Written by a supervisor that has paused for a move. */
export const pausedFile = ({ databaseMove }: Paths) => join(databaseMove, "paused.json");

/** The move that isn't complete; null without one. */
export function readMoveState(paths: Paths): MoveState | null {
  const file = stateFile(paths);
  if (!existsSync(file)) return null;
  try {
    return stateSchema.parse(parseJson(readFileSync(file, "utf8")));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    // Without the cause: the text may contain a password.
    throw new AppError("unavailable", `${file} can't be read.`);
  }
}

/** Writes the state so that it survives a power failure. */
export async function writeMoveState(paths: Paths, state: MoveState): Promise<void> {
  await mkdir(paths.databaseMove, { recursive: true, mode: 0o700 });
  await writeFileAtomic(stateFile(paths), JSON.stringify(state), { mode: 0o600 });
}

/** Ends a move: its addresses are in no file of it anymore. */
export async function removeMoveState(paths: Paths): Promise<void> {
  await removeTree(stateFile(paths));
  await removeTemporaryFiles(stateFile(paths));
}

/** By which this instance recognizes a database that it has begun to fill. */
export async function instanceId(paths: Paths): Promise<string> {
  const file = join(paths.databaseMove, "instance");
  const known = await undefinedIfMissing(readFile(file, "utf8"));
  if (known !== undefined) return known.trim();
  await mkdir(paths.databaseMove, { recursive: true, mode: 0o700 });
  const id = randomBytes(16).toString("hex");
  await writeFileAtomic(file, `${id}\n`, { mode: 0o600 });
  return id;
}

const pausedSchema = z.object({
  id: z.string(),
  /** Hashes of the address that is served, and of DATABASE_URL there; null without them. */
  served: z.string().nullable(),
  given: z.string().nullable(),
});
/** What a supervisor says that has paused. */
export type Paused = z.infer<typeof pausedSchema>;

/** The supervisor's answer to this move; null before it. */
export async function readPaused(paths: Paths, id: string): Promise<Paused | null> {
  const text = await undefinedIfMissing(readFile(pausedFile(paths), "utf8"));
  const paused = text === undefined ? null : pausedSchema.parse(parseJson(text));
  return paused?.id === id ? paused : null;
}

export const writePaused = (paths: Paths, paused: Paused) =>
  writeFileAtomic(pausedFile(paths), JSON.stringify(paused), { mode: 0o600 });

/** Whether the command of a move is switching. */
export function isBeingMoved(paths: Paths): boolean {
  return readMoveState(paths)?.phase === "switching" && lockState(moveLock(paths)) === "held";
}

/**
 * Throws `locked` while the records are moved, and if they were since the configuration was read.
 * Called after the database was opened: the move waits for open connections.
 */
export function assertNotMoving(
  paths: Pick<InstancePaths, "databaseMove" | "activeDatabase">,
  { moveId }: { moveId: string | null },
): void {
  const isChanged = (readActiveDatabase(paths)?.moveId ?? null) !== moveId;
  if (!isChanged && readMoveState(paths)?.phase !== "switching") return;
  throw new AppError("locked", "The database is being moved. Try again in a moment.");
}
