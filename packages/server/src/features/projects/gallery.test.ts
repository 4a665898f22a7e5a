import { mkdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  type DatabaseMaker,
  dialects,
  startDialect,
} from "../../../../../test/support/postgres.ts";
import { type ProjectsApp, startProjectsApp } from "../../../../../test/support/projects-app.ts";
import { deleteMedia } from "../media/delete-store.ts";
import { findMediaBySrc, usesOfMedia } from "../media/store.ts";
import type { ProjectDetail, ProjectList } from "./schema.ts";

describe.each(dialects)("a project's gallery on %s", (dialect) => {
  let maker: DatabaseMaker;
  let app: ProjectsApp;
  let made: ProjectDetail;
  let src: string;
  beforeAll(async () => {
    maker = await startDialect(dialect);
  });
  afterAll(() => maker.close());
  beforeEach(async () => {
    app = await startProjectsApp(maker);
    src = await app.addImage("first", { alt: "From the library" });
    made = await app.create({ gallery: [{ src, caption: "First" }] });
  });
  afterEach(() => app[Symbol.asyncDispose]());

  const save = (change: object) =>
    app.ask<ProjectDetail>("/save", { id: made.id, version: 1, ...change });
  const saveGallery = (...srcs: string[]) => save({ gallery: srcs.map((one) => ({ src: one })) });

  async function expectRefused(wrong: string, at = 1): Promise<void> {
    const gallery = Array<string>(at).fill(src);
    for (const response of [
      await saveGallery(...gallery, wrong),
      await app.ask("/create", {
        name: "New",
        gallery: [...gallery, wrong].map((one) => ({ src: one })),
      }),
    ]) {
      expect([response.status, response.error.code]).toEqual([422, "validation_failed"]);
      expect(Object.keys(response.error.fields ?? {})).toEqual([`gallery.${at}.src`]);
    }
    expect(await app.get(made.id)).toEqual(made);
    expect(await app.names()).toEqual(["A project"]);
  }

  test("abuse 60: an address that is no stored file's is refused and the record is unchanged", async () => {
    app.changes.length = 0;
    for (const wrong of [
      `http://localhost:3000${src}`,
      `https://cdn.example${src}`,
      `//cdn.example${src}`,
      "data:image/webp;base64,AAAA",
      "javascript:alert(1)",
      src.replaceAll("/", "\\"),
      `/media/2026/%2e%2e/%2e%2e/x.webp`,
      `/media/2026/../../etc/passwd`,
      `/media/2026/..webp`,
      `${src}?x`,
      `${src}#x`,
      ` ${src}`,
      `${src}\u0000`,
      src.slice(1),
      src.toUpperCase(),
      "",
    ]) {
      await expectRefused(wrong);
    }
    expect(app.changes).toEqual([]);
  });

  test("abuse 61: a missing file and a symlink on the way are refused, with or without a row", async () => {
    await expectRefused(await app.addImage("fileless", { file: false }), 2);
    const stray = "/media/2026/0123456789ab-stray.webp";
    await writeFile(join(app.mediaRoot, stray), "no row");
    await expectRefused(stray);
    const linked = await app.addImage("linked", { file: false });
    await symlink(join(app.mediaRoot, src), join(app.mediaRoot, linked));
    await expectRefused(linked);
    const folder = await app.addImage("folder", { file: false });
    await mkdir(join(app.mediaRoot, folder));
    await expectRefused(folder);
    const inLinked = await app.addImage("in-linked", { file: false });
    const elsewhere = join(app.mediaRoot, "../elsewhere");
    await rename(dirname(join(app.mediaRoot, src)), elsewhere);
    await writeFile(join(elsewhere, inLinked.split("/").at(-1) ?? ""), "x");
    await symlink(elsewhere, dirname(join(app.mediaRoot, src)));
    const response = await saveGallery(src, inLinked);
    expect(Object.keys(response.error.fields ?? {})).toEqual(["gallery.0.src", "gallery.1.src"]);
  });

  test("a file that was lost later keeps no other field from being saved", async () => {
    await rm(join(app.mediaRoot, src));
    const gallery = made.gallery;
    const saved = await save({ gallery, summary: "Still editable" });
    expect([saved.status, saved.data.version]).toEqual([200, 2]);
  });

  test("the media in use are known, and the database keeps them", async () => {
    const second = await app.addImage("second");
    const media = await findMediaBySrc(app.db, [src, second]);
    const ids = [media.get(src)?.id ?? 0, media.get(second)?.id ?? 0] as const;
    const uses = async () =>
      (await usesOfMedia(app.db, ids))
        .entries()
        .map(([id, list]) => [id, list.length])
        .toArray();
    expect(await uses()).toEqual([[ids[0], 1]]);
    await expect(deleteMedia(app.db, ids[0])).rejects.toThrow(/foreign key/i);
    await saveGallery(second, second);
    expect(await uses()).toEqual([[ids[1], 1]]);
    expect(await deleteMedia(app.db, ids[0])).toBe(true);
    await app.ask("/delete", { id: made.id });
    expect(await deleteMedia(app.db, ids[1])).toBe(true);
  });

  test("an image that only the body shows is in use as well, until the body lets it go", async () => {
    const other = await app.addImage("other");
    const id = (await findMediaBySrc(app.db, [other])).get(other)?.id ?? 0;
    await save({ body: `Before\n\n![A boat](${other} "At dawn")` });
    await expect(deleteMedia(app.db, id)).rejects.toThrow(/foreign key/i);
    const reported = await app.create({ body: `![](${other})` });
    await app.ask("/save", { id: made.id, version: 2, body: "After" });
    expect((await usesOfMedia(app.db, [id])).get(id)?.map((use) => use.id)).toEqual([reported.id]);
    await app.ask("/delete", { id: reported.id });
    expect(await deleteMedia(app.db, id)).toBe(true);
  });

  test("the list shows the first as the cover, with the words that the project has for it", async () => {
    const second = await app.addImage("second");
    const cover = async () => (await app.ask<ProjectList>("/list")).data.items[0];
    expect(await cover()).toMatchObject({ images: 1, cover: { src, alt: "From the library" } });
    await save({ gallery: [{ src: second, alt: "" }, { src }] });
    const shown = await cover();
    expect(shown).toMatchObject({ images: 2, cover: { src: second, alt: "", width: 800 } });
    expect(shown).not.toHaveProperty("gallery");
    expect(shown).not.toHaveProperty("brief");
    expect(await app.get(made.id)).toMatchObject({
      gallery: [{ src: second, caption: "" }, { src }],
    });
  });

  test.each([
    ["https://www.instagram.com/reel/C0ffee_-1/", true],
    ["https://instagram.com/p/abc", true],
    ["https://www.instagram.com/reel/abc/?utm_source=ig_web&igsh=a%3D%3D", true],
    ["http://www.instagram.com/reel/abc/", false],
    ["https://www.instagram.com/someone/", false],
    ["https://www.instagram.com/reel/", false],
    ["https://www.instagram.com.evil.example/reel/abc/", false],
    ["https://www.instagram.com@evil.example/reel/abc/", false],
    ["https://evil.example/https://www.instagram.com/reel/abc/", false],
    ["https:\\\\www.instagram.com\\reel\\abc", false],
    ['https://www.instagram.com/reel/abc/?"><script>', false],
    ["https://www.instagram.com/reel/../../x", false],
    ["javascript:alert(1)//https://www.instagram.com/reel/abc/", false],
    ["", false],
  ])("the reel %s is taken: %s", async (reelUrl, taken) => {
    const response = await save({ reelUrl });
    expect(response.status).toBe(taken ? 200 : 422);
    expect((await app.get(made.id)).reelUrl).toBe(taken ? reelUrl : null);
    expect(Object.keys(response.error?.fields ?? {})).toEqual(taken ? [] : ["reelUrl"]);
  });
});
