import { readdir } from "node:fs/promises";
import sharp from "sharp";
import { expect, test } from "vitest";
import type { MediaItem } from "../../packages/server/src/features/media/schema.ts";
import type { ProjectDetail } from "../../packages/server/src/features/projects/schema.ts";
import { type AdminClient, signIn } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { noise } from "../support/image-bytes.ts";
import { startInstance, type TestInstance } from "../support/instance.ts";

test("builders start at the admin's first request and not before", async () => {
  await using instance = await startInstance({ warm: true });
  const builders = () => readdir(instance.paths.builders);
  expect(await builders()).toEqual([]);
  await fetch(`${instance.baseUrl}/`);
  const admin = await signIn(instance);
  expect(await builders()).toEqual([]);
  await admin.get("/api/adminlog/list");
  // One that can compile, and one that only renders.
  await eventually(async () => expect(await builders()).toHaveLength(2));
}, 240_000);

const color = { r: 180, g: 90, b: 60 };

async function uploadPhoto(instance: TestInstance, { cookie }: AdminClient): Promise<MediaItem> {
  const photo = await noise(1400, 1050).blur(2).tint(color).jpeg({ quality: 90 }).toBuffer();
  const body = new FormData();
  body.append("file", new File([new Uint8Array(photo)], "kiln.jpg"));
  body.append("alt", "A kiln at night");
  const address = `${instance.baseUrl}/api/media/upload`;
  const response = await fetch(address, { method: "POST", headers: { cookie }, body });
  return ((await response.json()) as { data: MediaItem }).data;
}

/** A page without the AVIF sources, which are all that may come later. */
function withoutAvif(html: string): string {
  return html
    .replaceAll(/<source[^>]*type="image\/avif"[^>]*>/g, "")
    .replaceAll(/<\/?picture[^>]*>/g, "")
    .replaceAll(/\s+/g, " ")
    .replaceAll(/> </g, "><");
}

async function meanColor(image: Buffer): Promise<number[]> {
  const { channels } = await sharp(image).removeAlpha().stats();
  return channels.map(({ mean }) => mean);
}

test("a photo gets AVIF variants in quiet time, and its page is published again with them and otherwise as it was", async () => {
  await using instance = await startInstance({ config: { qa: { intervalMinutes: 0 } } });
  const admin = await signIn(instance);
  const photo = await uploadPhoto(instance, admin);
  const path = "/api/adminprojects/get?slug=return-shelf";
  const { id, version, gallery } = (await admin.get<ProjectDetail>(path)).data;
  const places = gallery.map(({ src, alt, caption }) => ({ src, alt, caption }));
  const saved = await admin.post("/api/adminprojects/save", {
    id,
    version,
    gallery: [...places, { src: photo.src, alt: photo.alt, caption: "" }],
  });
  expect(saved.error).toBeNull();
  const page = async () => (await fetch(`${instance.baseUrl}/projects/return-shelf/`)).text();
  const before = await eventually(async () => {
    const html = await page();
    expect(html).toContain(photo.src);
    return html;
  }, 120_000);
  const stem = photo.src.replace(/\.\w+$/, "");
  expect(before).not.toContain(`${stem}-480.avif`);
  // Ten seconds without other work, the images, and a minute without more of them.
  const after = await eventually(async () => {
    const html = await page();
    expect(html).toContain(`${stem}-480.avif`);
    return html;
  }, 240_000);
  expect(withoutAvif(after)).toBe(withoutAvif(before));
  const wanted = await meanColor(
    Buffer.from(await (await fetch(instance.baseUrl + photo.src)).arrayBuffer()),
  );
  const sources = after.match(new RegExp(`${stem}-\\d+\\.avif`, "g")) ?? [];
  // The widths of the WebP variants, and the photo's own.
  expect(new Set(sources).size).toBe(4);
  for (const source of new Set(sources)) {
    const response = await fetch(instance.baseUrl + source);
    expect(response.headers.get("content-type")).toBe("image/avif");
    const image = Buffer.from(await response.arrayBuffer());
    const { format, compression, width } = await sharp(image).metadata();
    expect([format, compression]).toEqual(["heif", "av1"]);
    expect(source).toContain(`-${width}.avif`);
    for (const [at, mean] of (await meanColor(image)).entries()) {
      expect(Math.abs(mean - (wanted[at] ?? 0))).toBeLessThanOrEqual(4);
    }
  }
}, 480_000);
