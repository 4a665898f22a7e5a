import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Bundle, bundleProgram } from "../../../../../../test/support/bundle.ts";
import {
  filesBelow,
  makeTestLibrary,
  noVideos,
  receivedFile,
  silentLog,
  type TestLibrary,
} from "../../../../../../test/support/media-library.ts";
import { flatPng, halves, noise } from "../../../../../../test/support/image-bytes.ts";
import { tempFolder } from "../../../../../../test/support/temp.ts";
import { systemClock } from "../../../kit/clock.ts";
import { AppError } from "../../../kit/errors.ts";
import { defaultLimits } from "../../../platform/config.ts";
import { exists } from "../../../platform/files.ts";
import { instancePaths, nodeBinary } from "../../../platform/paths.ts";
import { run } from "../../../platform/process.ts";
import { type VideoConverter, makeVideoConverter } from "../video/video-converter.ts";
import { makeMediaLibrary } from "./library.ts";
import { filesOf, insertMedia, listMedia, type NewMedia, usesOfMedia } from "../store.ts";

let test: TestLibrary;

afterEach(async () => {
  await test[Symbol.asyncDispose]();
});

/** An image of which AVIF variants are clearly lighter. */
const smoothImage = () => noise(90, 60).resize(900, 600, { kernel: "cubic" }).jpeg().toBuffer();

const image = () => noise(900, 600).blur(2).jpeg().toBuffer();

async function rows(): Promise<string[]> {
  const { items } = await listMedia(test.database.db, { limit: 100, offset: 0 });
  return items.map((item) => item.src);
}

/** All files that the rows name, as `stored` lists them. */
async function namedByRows(): Promise<string[]> {
  const { items } = await listMedia(test.database.db, { limit: 100, offset: 0 });
  return items
    .flatMap(filesOf)
    .map((src) => src.slice("/media/".length))
    .toSorted();
}

/** No row without its files, no file without a row, nothing left to be worked on. */
async function expectWhole(): Promise<void> {
  expect(await test.stored()).toEqual(await namedByRows());
  expect(await readdir(test.paths.uploads)).toEqual([]);
}

describe("taking an image in", () => {
  it("stores its files and its row, and tells the site", async () => {
    test = await makeTestLibrary();
    const data = await image();
    const { media, created, warnings } = await test.add(data, {
      name: "My Holiday.jpeg",
      alt: " Two boats ",
    });
    expect({ created, warnings }).toEqual({ created: true, warnings: [] });
    expect(media).toMatchObject({
      kind: "image",
      src: `/media/2026/${media.sha256.slice(0, 12)}-my-holiday.jpg`,
      originalName: "My Holiday.jpeg",
      originalBytes: data.length,
      alt: "Two boats",
      createdAt: "2026-01-15T12:00:00.000Z",
      poster: null,
      duration: null,
    });
    const stem = media.src.slice(0, -".jpg".length);
    expect(media.variants.map((each) => each.src)).toEqual([
      `${stem}-480.webp`,
      `${stem}-800.webp`,
    ]);
    expect(test.changes).toEqual([`${media.originalName} was added`]);
    await expectWhole();
    for (const name of await test.stored()) {
      const file = join(test.paths.content, "app/public/media", name);
      expect((await stat(file)).mode & 0o777).toBe(0o644);
    }
  });

  it("makes the same bytes one item, also two at once and under two names", async () => {
    test = await makeTestLibrary();
    const data = await image();
    const both = await Promise.all([
      test.add(data, { name: "a.jpg" }),
      test.add(data, { name: "b" }),
    ]);
    // Which of the two is read first is the system's affair.
    expect(both.map((each) => each.created).toSorted()).toEqual([false, true]);
    const third = await test.add(data, { name: "c.jpg" });
    expect(third.created).toBe(false);
    expect(third.media).toEqual(both[0]?.media);
    expect(await rows()).toHaveLength(1);
    expect(test.changes).toHaveLength(1);
    await expectWhole();
  });

  it("takes the second of two at once after the first was given up", async () => {
    test = await makeTestLibrary();
    const data = await image();
    const stop = new AbortController();
    const first = test.add(data, { signal: stop.signal });
    const second = test.add(data);
    stop.abort(new Error("gone"));
    await expect(first).rejects.toThrow("gone");
    expect((await second).created).toBe(true);
    await expectWhole();
  });

  it("makes an item again, under the same address, whose files are gone", async () => {
    test = await makeTestLibrary();
    const data = await image();
    const { media } = await test.add(data, { name: "a.jpg", alt: "A" });
    await rm(join(test.paths.content, "app/public", media.variants[0]?.src ?? ""));
    const again = await test.add(data, { name: "b.jpg", alt: "B" });
    expect(again).toEqual({ media, created: false, warnings: [] });
    await rm(join(test.paths.content, "app/public/media"), { recursive: true });
    expect(await test.add(data)).toEqual({ media, created: false, warnings: [] });
    await expectWhole();
  });

  it("makes an imported WebP again as WebP, so that what names it still does", async () => {
    test = await makeTestLibrary();
    const data = await halves(60, 40, [10, 20, 30], [200, 100, 50]).webp().toBuffer();
    const { sha256 } = await receivedFile(test.paths.uploads, data);
    const seeded: NewMedia = {
      kind: "image",
      src: "/media/2025/seeded-cover.webp",
      originalName: "cover.webp",
      mime: "image/webp",
      bytes: 1,
      originalBytes: data.length,
      width: 60,
      height: 40,
      duration: null,
      hasAlpha: false,
      animated: false,
      poster: null,
      placeholder: null,
      variants: [],
      sha256,
      alt: "Cover",
      createdAt: "2025-01-01T00:00:00.000Z",
    };
    await insertMedia(test.database.db, seeded);
    const { media } = await test.add(data, { name: "other.png" });
    expect(media).toMatchObject({ src: seeded.src, mime: "image/webp", alt: "Cover", width: 60 });
    expect(media.bytes).toBeGreaterThan(1);
    await test.library.recover();
    await expectWhole();
  });

  it.each([
    ["abuse 47: a drawing named .png", Buffer.from("<svg/>"), "unsupported_media_type"],
    ["abuse 48: a document", Buffer.from("%PDF-1.7"), "unsupported_media_type"],
    ["abuse 49: a bomb", flatPng(16_000, 16_000), "bad_media"],
    ["half a picture", flatPng(300, 300).subarray(0, 60), "bad_media"],
  ])("stores nothing of %s", async (_name, data, code) => {
    test = await makeTestLibrary();
    await expect(test.add(data, { name: "picture.png" })).rejects.toMatchObject({ code });
    expect(await rows()).toEqual([]);
    await expectWhole();
  });

  it("refuses what is larger than an image may be, in bytes", async () => {
    test = await makeTestLibrary({ limits: { imageMiB: 1 / 1024 } });
    await expect(test.add(await image())).rejects.toMatchObject({ code: "too_large" });
    await expectWhole();
  });

  it("abuse 51: takes no folder, ending or length from the name", async () => {
    test = await makeTestLibrary();
    const names = ["../../x.png", "a\0b.png", "page.astro", `${"n".repeat(4096)}.png`, "🎉", ""];
    for (const [at, name] of names.entries()) {
      const { media } = await test.add(
        await noise(20, 20, 3, at + 1)
          .png()
          .toBuffer(),
        { name },
      );
      expect(media.src).toMatch(/^\/media\/2026\/[0-9a-f]{12}-[a-z0-9-]{1,40}\.webp$/);
    }
    expect(await rows()).toHaveLength(names.length);
    await expectWhole();
  });

  it("puts nothing through a link in place of the media folder", async () => {
    test = await makeTestLibrary();
    const elsewhere = join(test.paths.dir, "elsewhere");
    await mkdir(elsewhere);
    await mkdir(join(test.paths.content, "app/public"), { recursive: true });
    await symlink(elsewhere, join(test.paths.content, "app/public/media"));
    await expect(test.add(await image())).rejects.toThrow(/link/);
    expect(await filesBelow(elsewhere)).toEqual([]);
    expect(await rows()).toEqual([]);
  });

  it("leaves nothing when the site can't be told", async () => {
    test = await makeTestLibrary({ onChange: () => Promise.reject(new Error("no")) });
    await expect(test.add(await image())).rejects.toThrow("no");
    expect(await rows()).toEqual([]);
    await expectWhole();
  });

  it("ends what is under way when it closes", async () => {
    test = await makeTestLibrary();
    const adding = test.add(flatPng(9000, 9000));
    const refused = adding.catch((error: unknown) => error);
    await test.library.close();
    expect(await refused).toMatchObject({ code: "unavailable" });
    expect(await readdir(test.paths.uploads)).toEqual([]);
  });
});

describe("taking a video in", () => {
  const video = Buffer.from("\0\0\0\x10ftypisom\0\0\0\0", "latin1");
  /** Stands for ffmpeg: the poster it gives is what the placeholder is drawn from. */
  const videos: VideoConverter = {
    ...noVideos,
    async convert({ outDir, stem, onProgress }) {
      onProgress?.(0.5);
      await writeFile(join(outDir, `${stem}.mp4`), "film");
      await sharp({ create: { width: 1280, height: 720, channels: 3, background: "teal" } })
        .jpeg()
        .toFile(join(outDir, `${stem}-poster.jpg`));
      const size = { width: 1280, height: 720, duration: 1.5, bytes: 4 };
      return { file: `${stem}.mp4`, poster: `${stem}-poster.jpg`, ...size, mime: "video/mp4" };
    },
  };

  it("stores it with its poster and a placeholder of that", async () => {
    test = await makeTestLibrary({ videos });
    const received = await receivedFile(test.paths.uploads, video, "Clip.mov");
    const seen: unknown[] = [];
    const onProgress = (progress: unknown) => void seen.push(progress);
    const { media } = await test.library.ingest({ ...received, onProgress });
    expect(media).toMatchObject({ kind: "video", mime: "video/mp4", duration: 1.5, variants: [] });
    expect(media.poster).toBe(media.src.replace(".mp4", "-poster.jpg"));
    expect(media.placeholder).toMatch(/^data:image\/webp;base64,/);
    expect(seen).toEqual([
      { status: "waiting", fraction: null },
      { status: "working", fraction: 0.5 },
    ]);
    await expectWhole();
  });

  it("stores what the real ffmpeg makes, in its sandbox", async () => {
    await using folder = await tempFolder();
    const clip = join(folder.path, "clip.mkv");
    const source = ["-f", "lavfi", "-i", "testsrc2=size=320x180:rate=10:duration=1.5"];
    const { exitCode } = await run("ffmpeg", [...source, "-c:v", "mpeg4", clip]);
    expect(exitCode).toBe(0);
    const options = { limits: defaultLimits.media, sandbox: "auto", log: silentLog } as const;
    const paths = instancePaths(folder.path);
    const real = await makeVideoConverter({ ...options, paths, clock: systemClock });
    expect(real.state.available).toBe(true);
    test = await makeTestLibrary({ videos: real });
    const { media, created } = await test.add(await readFile(clip), { name: "Clip.mkv" });
    expect(created).toBe(true);
    expect(media).toMatchObject({ kind: "video", width: 320, height: 180, mime: "video/mp4" });
    expect(media.placeholder).toMatch(/^data:image\/webp;base64,/);
    await expectWhole();
    expect(await test.add(await readFile(clip))).toMatchObject({ created: false, media });
  });

  it("stores nothing of one that is refused", async () => {
    const refused = new AppError("unavailable", "Install ffmpeg.");
    test = await makeTestLibrary({ videos: { ...videos, convert: () => Promise.reject(refused) } });
    await expect(test.add(video)).rejects.toBe(refused);
    await expectWhole();
  });
});

describe("changing and removing", () => {
  it("changes name and description alone", async () => {
    test = await makeTestLibrary();
    const { media } = await test.add(await image());
    const changed = await test.library.update({ id: media.id, alt: "New ", originalName: "b.jpg" });
    expect(changed).toEqual({ ...media, alt: "New", originalName: "b.jpg" });
    expect(await test.library.update({ id: media.id, alt: "" })).toMatchObject({ alt: "" });
    await expect(test.library.update({ id: 999, alt: "" })).rejects.toMatchObject({
      code: "not_found",
    });
    expect(test.changes).toHaveLength(3);
  });

  it("removes row and files", async () => {
    test = await makeTestLibrary();
    const { media } = await test.add(await image());
    await test.library.remove(media.id);
    expect(await rows()).toEqual([]);
    await expectWhole();
    expect(test.changes).toHaveLength(2);
    await expect(test.library.remove(media.id)).rejects.toMatchObject({ code: "not_found" });
  });

  it("refuses to remove what is used, by what is said and by the database itself", async () => {
    const uses = {
      projects: [{ id: 7, name: "Tidewater" }],
      files: ["app/src/pages/index.astro"],
      runs: ["01J00000000000000000000000"],
    };
    let reply = uses;
    test = await makeTestLibrary({ usesOf: async () => reply });
    const { media } = await test.add(await image());
    await expect(test.library.remove(media.id)).rejects.toMatchObject({
      code: "in_use",
      details: uses,
    });
    reply = { projects: [], files: [], runs: [] };
    const db = test.database.db.withTables<{
      project: Record<string, unknown>;
      project_media: Record<string, unknown>;
    }>();
    const at = "2026-01-01T00:00:00.000Z";
    const project = { slug: "a", name: "A", status: "draft", created_at: at, updated_at: at };
    await db
      .insertInto("project")
      .values({ id: 7, position: 1, ...project })
      .execute();
    await db.insertInto("project_media").values({ project_id: 7, media_id: media.id }).execute();
    expect(await usesOfMedia(test.database.db, [media.id])).toEqual(
      new Map([[media.id, [{ id: 7, name: "A" }]]]),
    );
    await expect(test.library.remove(media.id)).rejects.toMatchObject({ code: "in_use" });
    expect(await rows()).toEqual([media.src]);
    await expectWhole();
  });
});

describe("the list", () => {
  it("is searched by words, without wildcards, by kind, newest first", async () => {
    test = await makeTestLibrary();
    const names = ["Harbour 100% cotton.jpg", "harbour_two.jpg", "Åre.jpg"];
    for (const [at, name] of names.entries()) {
      await test.add(
        await noise(20, 20, 3, at + 1)
          .png()
          .toBuffer(),
        { name, alt: `alt ${at}` },
      );
    }
    const find = async (q: string, kind?: "image" | "video") => {
      const query = { q, kind, limit: 10, offset: 0 };
      const { items, total } = await listMedia(test.database.db, query);
      expect(items).toHaveLength(total);
      return items.map((item) => item.originalName);
    };
    expect(await find("")).toEqual(names.toReversed());
    expect(await find("HARBOUR")).toEqual([names[1], names[0]]);
    expect(await find("harb%r")).toEqual([]);
    expect(await find("Åre")).toEqual([names[2]]);
    expect(await find("100% harb")).toEqual([names[0]]);
    expect(await find("r_t")).toEqual([names[1]]);
    expect(await find("\\")).toEqual([]);
    expect(await find("", "video")).toEqual([]);
    const page = await listMedia(test.database.db, { limit: 1, offset: 1 });
    expect(page).toMatchObject({ total: 3, items: [{ originalName: names[1] }] });
  });
});

it("leaves what another process is at work on alone until that one has ended", async () => {
  test = await makeTestLibrary();
  await test.library.recover();
  const { database, paths, images } = test;
  const data = await image();
  // So that the workers are there: the next one waits no longer than ten seconds.
  await test.add(await noise(20, 20).png().toBuffer());
  const arriving = await receivedFile(paths.uploads, data);
  const next = makeMediaLibrary({
    db: database.db,
    clock: systemClock,
    log: silentLog,
    limits: defaultLimits.media,
    paths,
    images,
    videos: noVideos,
    onChange: async () => {},
    usesOf: async () => ({ projects: [], files: [], runs: [] }),
    onAddressChange: async () => {},
  });
  const recovered = next.recover();
  expect((await test.add(data)).created).toBe(true);
  expect(await exists(arriving.file)).toBe(true);
  await test.library.close();
  await recovered;
  expect(await exists(arriving.file)).toBe(false);
  await next.close();
});

describe("abuse 54: kill -9", () => {
  let program: Bundle;
  beforeAll(async () => {
    program = await bundleProgram("media-process.ts");
  });
  afterAll(() => program.remove());

  /** Runs the action in a process of its own, which kills itself; true when it did. */
  async function die(
    action: "add" | "remove" | "avif",
    killAt: string,
    data: Uint8Array,
  ): Promise<boolean> {
    const file = join(test.paths.dir, "picture");
    await writeFile(file, data);
    const { dir } = test.paths;
    const request = { dir, database: test.databaseFile, image: file, action, killAt };
    return new Promise((resolve) => {
      const env = { ...process.env, ...program.env };
      execFile(nodeBinary, [program.file, JSON.stringify(request)], { env }, (error) => {
        resolve((error as { signal?: string } | null)?.signal === "SIGKILL");
      });
    });
  }

  it.each([
    ["before the file is taken", 0],
    ["before it is converted", 0],
    ["before the intent", 0],
    ["after the intent", 0],
    ["between two files", 0],
    ["before the row", 0],
    ["within the transaction", 0],
    ["after the row", 1],
    ["at the end", 1],
  ])("while an image is taken in, %s", async (moment, expected) => {
    test = await makeTestLibrary();
    const data = await image();
    expect(await die("add", moment, data)).toBe(true);
    // Another's half received upload in the same folder is not ours to touch.
    const half = join(test.paths.uploads, "tus/half");
    await mkdir(join(half, ".."), { recursive: true });
    await writeFile(half, "half");
    await test.library.recover();
    expect(await exists(half)).toBe(true);
    await rm(join(half, ".."), { recursive: true });
    expect(await rows()).toHaveLength(expected);
    await expectWhole();
    expect((await test.add(data)).created).toBe(expected === 0);
    await expectWhole();
  });

  it.each([
    ["before the intent", 1],
    ["after the intent", 1],
    ["within the transaction", 1],
    ["after the row", 0],
    ["at the end", 0],
  ])("while one is removed, %s", async (moment, expected) => {
    test = await makeTestLibrary();
    const data = await image();
    await test.add(data);
    expect(await die("remove", moment, data)).toBe(true);
    await test.library.recover();
    expect(await rows()).toHaveLength(expected);
    await expectWhole();
  });

  it.each(["before the intent", "after the intent", "between two files", "before the row"])(
    "while AVIF variants are made, %s: they are made later, or removed with the item",
    async (moment) => {
      test = await makeTestLibrary();
      const data = await smoothImage();
      const { media } = await test.add(data);
      expect(await die("avif", moment, data)).toBe(true);
      await test.library.recover();
      expect(await readdir(test.paths.uploads)).toEqual([]);
      await test.library.addAvif(media.id, new AbortController().signal);
      await expectWhole();
      expect(await test.stored()).toHaveLength(6);
      await test.library.remove(media.id);
      expect(await test.stored()).toEqual([]);
    },
  );

  it("while AVIF variants are made: what is left of them goes with the item", async () => {
    test = await makeTestLibrary();
    const data = await smoothImage();
    const { media } = await test.add(data);
    expect(await die("avif", "before the row", data)).toBe(true);
    await test.library.recover();
    await test.library.remove(media.id);
    expect(await test.stored()).toEqual([]);
  });

  it("while an item is made again, between two files: it becomes whole", async () => {
    test = await makeTestLibrary();
    const data = await image();
    await test.add(data);
    const media = join(test.paths.content, "app/public/media");
    await rename(media, join(test.paths.dir, "away"));
    expect(await die("add", "between two files", data)).toBe(true);
    await test.library.recover();
    expect(await rows()).toHaveLength(1);
    await expectWhole();
  });
});
