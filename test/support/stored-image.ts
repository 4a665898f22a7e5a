import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isoTime } from "../../packages/server/src/kit/time.ts";
import type { Db } from "../../packages/server/src/platform/db/connect.ts";
import { findMediaByHash, insertMedia } from "../../packages/server/src/features/media/store.ts";

export interface StoredImage {
  id: number;
  src: string;
}

/** Stores an image in an instance's library, with a file in place of the converted one. */
export async function storeImage(
  { db, paths }: { db: Db; paths: { content: string } },
  name: string,
): Promise<StoredImage> {
  const sha256 = name.padEnd(64, "0");
  const src = `/media/2026/abc-${name}.webp`;
  await insertMedia(db, {
    kind: "image",
    src,
    originalName: `${name}.png`,
    mime: "image/webp",
    bytes: 4,
    originalBytes: 4,
    width: 1600,
    height: 900,
    duration: null,
    hasAlpha: false,
    animated: false,
    poster: null,
    placeholder: null,
    variants: [],
    sha256,
    alt: "",
    createdAt: isoTime(0),
  });
  const file = join(paths.content, "app/public", src);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, name);
  const { id = 0 } = (await findMediaByHash(db, sha256)) ?? {};
  return { id, src };
}
