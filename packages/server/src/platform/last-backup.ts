import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { writeFileAtomic } from "./files.ts";

const lastBackup = z.object({ createdAt: z.iso.datetime() });

const fileOf = (dataDir: string) => join(dataDir, "last-backup.json");

/** Records that a backup was made of the instance as it was at this time. */
export async function writeLastBackup(dataDir: string, createdAt: string): Promise<void> {
  await writeFileAtomic(fileOf(dataDir), `${JSON.stringify({ createdAt })}\n`);
}

/** When the last backup was made; null if there is none, or nobody knows. */
export async function readLastBackup(dataDir: string): Promise<string | null> {
  try {
    return lastBackup.parse(JSON.parse(await readFile(fileOf(dataDir), "utf8"))).createdAt;
  } catch {
    return null;
  }
}
