import { mkdtempSync, rmSync } from "node:fs";
import { copyFile, mkdir, rename } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "../../packages/server/src/platform/db/connect.ts";
import { migrate } from "../../packages/server/src/platform/db/migrate.ts";
import { exists } from "../../packages/server/src/platform/files.ts";

/** A folder for this process, where the tests of a run share none. */
function ownFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-migrated-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function makeTemplate(): Promise<string> {
  const folder = process.env["TEST_SHELF"] ?? ownFolder();
  const template = join(folder, "migrated.db");
  if (await exists(template)) return template;
  await mkdir(folder, { recursive: true });
  const part = join(folder, `migrated-${process.pid}.db`);
  const database = openDatabase({ url: null, file: part });
  await migrate({ database, now: 0 });
  await database.close();
  await rename(part, template);
  return template;
}

let template: Promise<string> | undefined;

/** Puts a SQLite database with this program's schema at `file`: a copy takes no time, migrating does. */
export async function copyMigratedDatabase(file: string): Promise<void> {
  template ??= makeTemplate();
  await copyFile(await template, file);
}
