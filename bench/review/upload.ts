import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import sharp from "sharp";
import { insertMedia } from "../../packages/server/src/features/media/store.ts";
import { sha256Hex } from "../../packages/server/src/kit/hash.ts";
import type { Db } from "../../packages/server/src/platform/db/connect.ts";

/** An image that the owner has uploaded since the last build, to attach to tasks. */
export const uploaded = "/media/2026/4be1c09d77a2-studio-portrait.webp";
const smaller = uploaded.replace(".webp", "-480.webp");
const size = { width: 960, height: 1200 };

/** @returns bytes of the file */
async function draw(publicDir: string, src: string, width: number): Promise<number> {
  const circles = Array.from({ length: 24 }, (_, n) => {
    const place = `cx="${80 + n * 37}" cy="${150 + n * 41}" r="${40 + n * 3}"`;
    return `<circle ${place} fill="hsl(${n * 15} 60% 55%)"/>`;
  });
  const whole = `width="${size.width}" height="${size.height}"`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" ${whole}><rect ${whole} fill="#e9e2d6"/>${circles.join("")}</svg>`;
  const file = join(publicDir, src);
  await mkdir(dirname(file), { recursive: true });
  const { size: bytes } = await sharp(Buffer.from(svg)).resize({ width }).webp().toFile(file);
  return bytes;
}

/** Stores the image below `app/public` and in the records, as an upload does. */
export async function storeUpload(db: Db, publicDir: string): Promise<void> {
  const bytes = await draw(publicDir, uploaded, size.width);
  const variant = { src: smaller, width: 480, bytes: await draw(publicDir, smaller, 480) };
  await insertMedia(db, {
    kind: "image",
    src: uploaded,
    mime: "image/webp",
    bytes,
    ...size,
    duration: null,
    hasAlpha: false,
    animated: false,
    poster: null,
    placeholder: null,
    variants: [variant],
    originalName: "studio-portrait.webp",
    originalBytes: bytes,
    sha256: sha256Hex(uploaded),
    alt: "Mara Lindqvist at her desk, seen from the side.",
    createdAt: "2026-11-20T09:00:00.000Z",
  });
}
