import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { Db } from "../../../platform/db/connect.ts";
import { exists } from "../../../platform/files.ts";
import { listMedia, type Media } from "../../media/store.ts";
import type { PictureFile } from "./pictures.ts";

async function hashOf(file: string): Promise<string | null> {
  if (!(await exists(file))) return null;
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  return hash.digest("hex");
}

/**
 * Which pictures are, byte for byte, files that the library serves: an export has those, and storing
 * them as if they were uploads would convert them once more. `mediaRoot` is the folder that the
 * library's addresses are files below. Gives the items by path.
 */
export async function findServed(
  db: Db,
  pictures: readonly PictureFile[],
  mediaRoot: string,
): Promise<Map<string, Media>> {
  const found = new Map<string, Media>();
  if (pictures.length === 0) return found;
  const { items } = await listMedia(db, { limit: 2_147_483_647, offset: 0 });
  const bySize = Map.groupBy(items, ({ bytes }) => bytes);
  for (const { path, bytes, sha256 } of pictures) {
    for (const media of bySize.get(bytes) ?? []) {
      if ((await hashOf(join(mediaRoot, media.src))) !== sha256) continue;
      found.set(path, media);
      break;
    }
  }
  return found;
}
