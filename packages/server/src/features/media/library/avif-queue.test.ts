import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import { afterEach, expect, it } from "vitest";
import { fakeClock } from "../../../../../../test/support/clock.ts";
import { halves, noise } from "../../../../../../test/support/image-bytes.ts";
import { makeTestLibrary, type TestLibrary } from "../../../../../../test/support/media-library.ts";
import { sql } from "kysely";
import { filesOf, findMedia, findMediaBySrc, insertMedia } from "../store.ts";
import { type AvifTurn, makeAvifQueue } from "./avif-queue.ts";

let test: TestLibrary;

afterEach(async () => {
  await test[Symbol.asyncDispose]();
});

const never = new AbortController().signal;
const photo = (seed = 1) =>
  noise(90, 60, 3, seed).resize(900, 600, { kernel: "cubic" }).jpeg({ quality: 95 }).toBuffer();

/** A queue on an instance that is quiet until `state.quiet` says otherwise. */
function queue(options: { pollMs?: number } = {}) {
  const clock = fakeClock();
  const state = { quiet: true };
  const { library, database } = test;
  const isQuiet = async () => state.quiet;
  const turn = makeAvifQueue({ db: database.db, clock, library, isQuiet, ...options });
  /** What a turn does after a long quiet time. */
  const quietTurn = async (): Promise<AvifTurn> => {
    await turn(never);
    clock.advance(120_000);
    return turn(never);
  };
  return { turn, quietTurn, clock, state };
}

async function item(id: number) {
  const media = await findMedia(test.database.db, id);
  if (!media) throw new Error("the item is gone");
  return media;
}

const names = (media: Parameters<typeof filesOf>[0]) =>
  filesOf(media)
    .map((src) => src.slice("/media/".length))
    .toSorted();

/** Makes a project show an item. */
async function show(id: number): Promise<void> {
  const { db } = test.database;
  const at = "2026-01-15T12:00:00.000Z";
  await sql`insert into project (id, slug, name, status, position, created_at, updated_at)
    values (1, 'quay', 'Quay', 'published', 1, ${at}, ${at})`.execute(db);
  await sql`insert into project_media (project_id, media_id) values (1, ${id})`.execute(db);
}

it("makes lighter variants of a stored image in quiet time, in the sizes that visitors get", async () => {
  test = await makeTestLibrary();
  const { media } = await test.add(await photo());
  expect(media.avif).toEqual([]);
  const { quietTurn } = queue();
  expect(await quietTurn()).toBe("made");
  const made = await item(media.id);
  expect(made.variants).toEqual(media.variants);
  const present = [...media.variants, { width: 900, bytes: media.bytes }];
  expect(made.avif.map(({ width }) => width)).toEqual([480, 800, 900]);
  expect(await test.stored()).toEqual(names(made));
  expect(await readdir(test.paths.uploads)).toEqual([]);
  for (const [at, { src, width, bytes }] of made.avif.entries()) {
    const data = await readFile(join(test.paths.content, "app/public", src));
    expect(data.length).toBe(bytes);
    expect(bytes).toBeLessThan(present[at]?.bytes ?? 0);
    expect(await sharp(data).metadata()).toMatchObject({
      format: "heif",
      compression: "av1",
      width,
      height: Math.round((width * 600) / 900),
    });
  }
});

it("makes none of drawings, animations, and what wouldn't be lighter, and asks only once", async () => {
  test = await makeTestLibrary();
  const drawing = await halves(600, 300, [220, 30, 30], [30, 30, 220]).png().toBuffer();
  const { media } = await test.add(drawing);
  const { quietTurn } = queue();
  expect(await quietTurn()).toBe("made");
  expect((await item(media.id)).avif).toEqual([]);
  expect(await quietTurn()).toBe("idle");
  expect(await test.stored()).toEqual(names(await item(media.id)));
});

it("waits until it has been quiet for a while, and gives way while it works", async () => {
  test = await makeTestLibrary();
  const { media } = await test.add(await photo());
  const before = await test.stored();
  const { turn, quietTurn, clock, state } = queue({ pollMs: 1 });
  expect(await turn(never)).toBe("waiting");
  clock.advance(9000);
  state.quiet = false;
  expect(await turn(never)).toBe("waiting");
  state.quiet = true;
  clock.advance(9000);
  expect(await turn(never)).toBe("waiting");
  clock.advance(10_000);
  const working = turn(never);
  await Promise.resolve();
  state.quiet = false;
  expect(["gave way", "waiting"]).toContain(await working);
  expect(await test.stored()).toEqual(before);
  expect(await readdir(test.paths.uploads)).toEqual([]);
  state.quiet = true;
  expect(await quietTurn()).toBe("made");
  expect((await item(media.id)).avif).toHaveLength(3);
});

it("requests one rebuild for all images that a project shows, when the last one is made", async () => {
  test = await makeTestLibrary();
  const [first, second] = [await test.add(await photo(1)), await test.add(await photo(2))];
  await show(first.media.id);
  test.changes.splice(0);
  const { turn, quietTurn, clock } = queue();
  expect(await quietTurn()).toBe("made");
  expect(await turn(never)).toBe("made");
  expect(await turn(never)).toBe("waiting");
  expect(test.changes).toEqual([]);
  clock.advance(60_000);
  expect(await turn(never)).toBe("released");
  expect(test.changes).toEqual(["lighter images"]);
  expect(await quietTurn()).toBe("idle");
  expect(test.changes).toHaveLength(1);
  expect((await item(second.media.id)).avif).not.toEqual([]);
});

it("requests no rebuild for images that nothing shows", async () => {
  test = await makeTestLibrary();
  await test.add(await photo());
  const { quietTurn } = queue();
  expect(await quietTurn()).toBe("made");
  test.changes.splice(0);
  expect(await quietTurn()).toBe("idle");
  expect(test.changes).toEqual([]);
});

it("leaves images alone that have AVIF variants already, such as those of a restored site", async () => {
  test = await makeTestLibrary();
  const { media } = await test.add(await photo());
  const { quietTurn } = queue();
  expect(await quietTurn()).toBe("made");
  const { id: _id, ...made } = await item(media.id);
  await test.library.remove(media.id);
  const { variants, avif } = made;
  await insertMedia(test.database.db, { ...made, variants: [...variants, ...avif], avif: [] });
  expect(await quietTurn()).toBe("idle");
  const [restored] = (await findMediaBySrc(test.database.db, [media.src])).values();
  expect(restored).toMatchObject({ variants, avif });
});

it("doesn't try an image again and again whose file is missing", async () => {
  test = await makeTestLibrary();
  const { media } = await test.add(await photo());
  await rm(join(test.paths.content, "app/public", media.src));
  const { turn, quietTurn } = queue();
  expect(await quietTurn()).toBe("made");
  expect((await item(media.id)).avif).toEqual([]);
  expect(await turn(never)).toBe("waiting");
});
