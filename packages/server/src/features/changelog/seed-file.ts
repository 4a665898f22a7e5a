import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { AppError } from "../../kit/errors.ts";

/** Maximum size of a seed file, in bytes: about 10,000 entries. */
const maxSeedBytes = 8 * 1024 * 1024;

/**
 * The text of a seed file, null if there is none. Throws `validation_failed` if it isn't a regular
 * file (links included) or is larger than 8 MiB.
 */
export async function readSeedFile(file: string): Promise<string | null> {
  const unfit = (why: string, cause?: unknown) =>
    new AppError("validation_failed", `database/changelog.json ${why}.`, { cause });
  // Opening a pipe would otherwise wait for a writer.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await open(file, flags).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return null;
    throw unfit("can't be read", error);
  });
  if (handle === null) return null;
  try {
    const stat = await handle.stat();
    if (!stat.isFile()) throw unfit("isn't a regular file");
    if (stat.size > maxSeedBytes) throw unfit(`is larger than ${maxSeedBytes / 2 ** 20} MiB`);
    return await handle.readFile("utf8");
  } finally {
    await handle.close();
  }
}
