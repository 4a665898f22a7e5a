import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type MediaApp, startMediaApp } from "../../../../../../test/support/media-app.ts";
import type { MediaList, ReferenceImage } from "../schema.ts";

let app: MediaApp;

beforeEach(async () => {
  app = await startMediaApp({ limits: { imageMiB: 2, videoMiB: 4 } });
});
afterEach(() => app[Symbol.asyncDispose]());

async function image(width = 2400): Promise<Buffer> {
  const background = { r: 20, g: 120, b: 40 };
  return sharp({ create: { width, height: 600, channels: 3, background } })
    .withExif({ IFD0: { Copyright: "secret place" } })
    .jpeg()
    .toBuffer();
}

function upload(file: Uint8Array, fields: Record<string, string> = {}) {
  const form = new FormData();
  for (const [key, value] of Object.entries(fields)) form.append(key, value);
  form.append("file", new Blob([new Uint8Array(file)]), "sketch.jpg");
  return app.ask<ReferenceImage>("/api/media/reference", { method: "POST", body: form });
}

const retained = () => readdir(app.paths.references).catch(() => []);

test("is made smaller, without metadata, and shown to the admin again", async () => {
  const { status, data } = await upload(await image());
  expect(status).toBe(201);
  expect(data).toMatchObject({ name: "sketch.jpg", mime: "image/jpeg", width: 1600, height: 400 });
  const response = await fetch(`${app.url}/api/media/reference/${data.id}`, {
    headers: app.bearer,
  });
  expect(response.headers.get("content-type")).toBe("image/jpeg");
  const bytes = Buffer.from(await response.arrayBuffer());
  expect(bytes).toHaveLength(data.bytes);
  expect(bytes.includes("secret place")).toBe(false);
  const { mode } = await stat(join(app.paths.references, `${data.id}.jpg`));
  expect(mode & 0o077).toBe(0);
});

test("never joins the media: neither the list nor the folder that is published", async () => {
  await upload(await image());
  const { data } = await app.ask<MediaList>("/api/media/list");
  expect(data.total).toBe(0);
  expect(await app.files()).toEqual({ uploads: [], media: [] });
});

test("refuses what is no image, and keeps nothing of it", async () => {
  const text = await upload(Buffer.from("not a picture ".repeat(500)));
  expect([text.status, text.error.code]).toEqual([415, "unsupported_media_type"]);
  const damaged = await upload((await image()).subarray(0, 400));
  expect([damaged.status, damaged.error.code]).toEqual([422, "bad_media"]);
  const field = await upload(await image(), { size: "9" });
  expect(field.status).toBe(400);
  expect(await retained()).toEqual([]);
  expect((await app.files()).uploads).toEqual([]);
});

test("is for the admin alone", async () => {
  const { data } = await upload(await image());
  expect((await fetch(`${app.url}/api/media/reference/${data.id}`)).status).toBe(401);
  expect((await fetch(`${app.url}/api/media/reference`, { method: "POST" })).status).toBe(401);
});

test("is gone after a month, with its file; an unknown id is not found", async () => {
  const { data } = await upload(await image());
  app.clock.advance(31 * 24 * 60 * 60_000);
  await app.restart();
  expect(await retained()).toEqual([]);
  const response = await app.ask(`/api/media/reference/${data.id}`);
  expect(response.status).toBe(404);
});

test("a file without a row, as a kill leaves it, is removed at the next start", async () => {
  const { data } = await upload(await image());
  const { db } = app;
  await db
    .withTables<{ reference_image: { id: string } }>()
    .deleteFrom("reference_image")
    .execute();
  await app.restart();
  expect(await retained()).not.toContain(`${data.id}.jpg`);
});
