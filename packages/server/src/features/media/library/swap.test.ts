import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import { afterEach, describe, expect, it } from "vitest";
import { halves, noise } from "../../../../../../test/support/image-bytes.ts";
import { makeTestLibrary, type TestLibrary } from "../../../../../../test/support/media-library.ts";
import { filesOf, findMedia, listMedia, type Media, type MediaTable } from "../store.ts";
import { listFormerAddresses } from "../swap-store.ts";

let test: TestLibrary;

afterEach(async () => {
  await test[Symbol.asyncDispose]();
});

const photo = (seed = 1, width = 1000, height = 500) =>
  noise(width / 10, height / 10, 3, seed)
    .resize(width, height, { kernel: "cubic" })
    .jpeg({ quality: 95 })
    .toBuffer();

const bytesOf = (src: string) => readFile(join(test.paths.content, "app/public", src));

async function item(id: number): Promise<Media> {
  const media = await findMedia(test.database.db, id);
  if (!media) throw new Error("the item is gone");
  return media;
}

/** Every stored file belongs to an item, and every item has its files. */
async function expectWhole(): Promise<void> {
  const { items } = await listMedia(test.database.db, { limit: 100, offset: 0 });
  const named = items.flatMap(filesOf).map((src) => src.slice("/media/".length));
  expect(await test.stored()).toEqual(named.toSorted());
  expect(await readdir(test.paths.uploads)).toEqual([]);
}

describe("cropping", () => {
  it("makes new files of the chosen part, under new addresses, and keeps the texts", async () => {
    test = await makeTestLibrary();
    const data = await halves(1000, 500, [220, 30, 30], [30, 30, 220]).png().toBuffer();
    const { media } = await test.add(data, { alt: "Two fields", name: "fields.png" });
    await test.library.update({ id: media.id, focalPoint: { x: 75, y: 50 } });
    const crop = { x: 500, y: 0, width: 500, height: 400 };
    const cropped = await test.library.crop(media.id, crop);
    expect(cropped).toMatchObject({
      id: media.id,
      width: 500,
      height: 400,
      alt: "Two fields",
      originalName: "fields.png",
      sha256: media.sha256,
      focalPoint: { x: 50, y: 63 },
      uncropped: { crop, media: { width: 1000, height: 500 } },
    });
    expect(cropped.src).not.toBe(media.src);
    const { channels } = await sharp(await bytesOf(cropped.src)).stats();
    expect(channels.slice(0, 3).map(({ mean }) => Math.round(mean))).toEqual([30, 30, 220]);
    await expectWhole();
    const former = await listFormerAddresses(test.database.db);
    expect(former.map(({ address }) => address).toSorted()).toEqual(filesOf(media).toSorted());
    expect(test.changes.at(-1)).toBe("fields.png was cropped");
  });

  it("again is a part of the whole image, and can be undone exactly", async () => {
    test = await makeTestLibrary();
    const { media } = await test.add(await photo());
    const before = await Promise.all(filesOf(media).map(bytesOf));
    await test.library.crop(media.id, { x: 0, y: 0, width: 300, height: 300 });
    const wider = await test.library.crop(media.id, { x: 100, y: 0, width: 800, height: 500 });
    expect(wider).toMatchObject({ width: 800, height: 500 });
    await expectWhole();
    const whole = await test.library.crop(media.id, null);
    expect(whole).toEqual(media);
    expect(await Promise.all(filesOf(whole).map(bytesOf))).toEqual(before);
    expect(await readdir(join(test.paths.data, "media-originals"))).toEqual([]);
    await expectWhole();
  });

  it("keeps what was cut off out of what is public", async () => {
    test = await makeTestLibrary();
    const { media } = await test.add(await photo());
    await test.library.crop(media.id, { x: 0, y: 0, width: 300, height: 300 });
    for (const src of filesOf(media)) await expect(bytesOf(src)).rejects.toThrow("ENOENT");
    await test.library.remove(media.id);
    expect(await readdir(join(test.paths.data, "media-originals"))).toEqual([]);
  });

  it("says why it can't be done", async () => {
    test = await makeTestLibrary();
    const { media } = await test.add(await photo());
    const beyond = { x: 900, y: 0, width: 200, height: 100 };
    await expect(test.library.crop(media.id, beyond)).rejects.toMatchObject({
      code: "validation_failed",
      fields: { "crop.width": "must end within the image" },
    });
    const frames = Buffer.alloc(64 * 64 * 3 * 2).fill(200, 64 * 64 * 3);
    const raw = { width: 64, height: 128, channels: 3, pageHeight: 64 } as const;
    const gif = await sharp(frames, { raw })
      .gif({ delay: [80, 80] })
      .toBuffer();
    const animated = (await test.add(gif)).media;
    const area = { x: 0, y: 0, width: 32, height: 32 };
    await expect(test.library.crop(animated.id, area)).rejects.toMatchObject({
      code: "invalid_state",
      message: "Animations can't be cropped.",
    });
    await expectWhole();
  });
});

describe("replacing", () => {
  it("gives the item the other file, with its own texts, and nothing is left of the first", async () => {
    test = await makeTestLibrary();
    const { media } = await test.add(await photo(1), { alt: "The quay", name: "old.jpg" });
    await test.library.update({ id: media.id, focalPoint: { x: 20, y: 30 } });
    const other = (await test.add(await photo(2), { name: "new.jpg" })).media;
    const replaced = await test.library.replace(media.id, other.id);
    expect(replaced).toMatchObject({
      id: media.id,
      src: other.src,
      sha256: other.sha256,
      originalName: "new.jpg",
      alt: "The quay",
      focalPoint: { x: 20, y: 30 },
    });
    expect(await findMedia(test.database.db, other.id)).toBeUndefined();
    await expectWhole();
    // The first file is a new one by now.
    const again = await test.add(await photo(1));
    expect(again).toMatchObject({
      created: true,
      media: { src: media.src.replace("old", "picture") },
    });
    await expectWhole();
  });

  it("centers the focal point if the shape is another, and drops an older crop", async () => {
    test = await makeTestLibrary();
    const { media } = await test.add(await photo(1));
    await test.library.update({ id: media.id, focalPoint: { x: 20, y: 30 } });
    await test.library.crop(media.id, { x: 0, y: 0, width: 300, height: 300 });
    const other = (await test.add(await photo(2, 500, 800))).media;
    const replaced = await test.library.replace(media.id, other.id);
    expect(replaced).toMatchObject({ focalPoint: { x: 50, y: 50 }, uncropped: null });
    expect(await readdir(join(test.paths.data, "media-originals"))).toEqual([]);
    await expectWhole();
  });

  it("refuses a file that is used elsewhere, and one that is in an unpublished run", async () => {
    let used = 0;
    test = await makeTestLibrary({
      usesOf: async (_trx, { id }) => ({
        projects: id === used ? [{ id: 1, name: "Quay" }] : [],
        files: [],
        runs: id === -used ? ["01RUN"] : [],
      }),
    });
    const { media } = await test.add(await photo(1));
    const other = (await test.add(await photo(2))).media;
    used = other.id;
    const refused = test.library.replace(media.id, other.id);
    await expect(refused).rejects.toMatchObject({ code: "in_use" });
    used = -media.id;
    await expect(test.library.replace(media.id, other.id)).rejects.toMatchObject({
      code: "in_use",
      details: { runs: ["01RUN"] },
    });
    expect(await item(media.id)).toEqual(media);
    await expectWhole();
  });
});

describe("removing during a change of the files", () => {
  it("removes the files that the item has by then", async () => {
    test = await makeTestLibrary();
    const { media } = await test.add(await photo(1));
    const crop = test.library.crop(media.id, { x: 0, y: 0, width: 300, height: 300 });
    await Promise.all([crop, test.library.remove(media.id)]);
    expect(await test.stored()).toEqual([]);
    expect(await readdir(join(test.paths.data, "media-originals"))).toEqual([]);
    await expectWhole();
  });

  it("is refused if they change while it is being removed", async () => {
    let cropped = false;
    test = await makeTestLibrary({
      usesOf: async (trx, { id }) => {
        // As a change with another hash would, which doesn't wait for this one.
        if (cropped)
          await trx
            .withTables<MediaTable>()
            .updateTable("media")
            .set({ src: "/media/2026/b.jpg" })
            .where("id", "=", id)
            .execute();
        return { projects: [], files: [], runs: [] };
      },
    });
    const { media } = await test.add(await photo(1));
    cropped = true;
    await expect(test.library.remove(media.id)).rejects.toMatchObject({ code: "conflict" });
    expect(await item(media.id)).toEqual(media);
    await expectWhole();
  });
});
