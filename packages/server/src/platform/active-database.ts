import { mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import { AppError } from "../kit/errors.ts";
import { sha256Hex } from "../kit/hash.ts";
import { parseJson } from "../kit/json.ts";
import { writeFileAtomic } from "./files.ts";
import type { InstancePaths } from "./paths.ts";

const activeSchema = z.strictObject({
  /** The move that made it the instance's database. */
  moveId: z.string(),
  /** PostgreSQL's address with its password; null for the SQLite file. */
  url: z.string().nullable(),
  movedAt: z.string(),
  /** SHA-256 of addresses that lead to databases which this instance has left. */
  leftUrls: z.array(z.string()),
});

/** Which database has the records since the last move; it replaces what the environment said then. */
export type ActiveDatabase = z.infer<typeof activeSchema>;

type Paths = Pick<InstancePaths, "activeDatabase">;

/** How an address is stored that the instance has left. */
export const hashUrl = (url: string) => sha256Hex(url);

/**
 * Reads which database has the records; null if they were never moved. Throws `bad_request` if the
 * file can't be read, because no other database may be used by mistake.
 */
export function readActiveDatabase({ activeDatabase }: Paths): ActiveDatabase | null {
  let text: string;
  try {
    text = readFileSync(activeDatabase, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    throw new AppError("bad_request", `${activeDatabase} can't be read.`, { cause: error });
  }
  try {
    return activeSchema.parse(parseJson(text));
  } catch {
    // Without the cause: the text may contain a password.
    throw new AppError("bad_request", `${activeDatabase} is damaged. Restore it from a copy.`);
  }
}

/** Makes another database the instance's, durably: before it returns or not at all. */
export async function writeActiveDatabase(
  { activeDatabase }: Paths,
  active: ActiveDatabase,
): Promise<void> {
  mkdirSync(dirname(activeDatabase), { recursive: true });
  await writeFileAtomic(activeDatabase, `${JSON.stringify(active, null, 2)}\n`, { mode: 0o600 });
}

/** Which database to use, by the environment and the last move. */
export interface ChosenDatabase {
  databaseUrl: string | null;
  /** The last move; null if the records were never moved. */
  moveId: string | null;
  /** Whether DATABASE_URL still leads to a database that the instance has left, and is ignored. */
  isDatabaseUrlLeft: boolean;
}

/** Chooses the database: DATABASE_URL, unless the records were moved away from there. */
export function chooseDatabase(paths: Paths, given: string | null): ChosenDatabase {
  const active = readActiveDatabase(paths);
  if (active === null) return { databaseUrl: given, moveId: null, isDatabaseUrlLeft: false };
  const { moveId, url, leftUrls } = active;
  const isLeft = given !== null && leftUrls.includes(hashUrl(given));
  const databaseUrl = given === null || isLeft ? url : given;
  return { databaseUrl, moveId, isDatabaseUrlLeft: isLeft };
}
