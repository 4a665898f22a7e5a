import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type DatabaseMaker, startDialect } from "../../../../test/support/postgres.ts";
import { startProjectsApp, type ProjectsApp } from "../../../../test/support/projects-app.ts";
import { tempFolder, type TempFolder } from "../../../../test/support/temp.ts";
import { isoTime } from "../../../kit/time.ts";
import { instancePaths } from "../../../platform/paths.ts";
import { makePictures } from "../../design/pictures.ts";
import { insertReference } from "../../media/reference/store.ts";
import { findMediaByHash, insertMedia } from "../../media/store.ts";
import { createSource } from "../../resources/sources.ts";
import { pictureOf } from "./pictures.ts";
import { siteKnowledge } from "./site-knowledge.ts";

let maker: DatabaseMaker;
let app: ProjectsApp;
let folder: TempFolder;
beforeEach(async () => {
  maker = await startDialect("sqlite");
  app = await startProjectsApp(maker);
  folder = await tempFolder();
});
afterEach(async () => {
  await app[Symbol.asyncDispose]();
  await maker.close();
  await folder.remove();
});

describe("pictures", () => {
  const item = {
    kind: "image" as const,
    src: "/media/2026/abc-sofa.jpg",
    originalName: "sofa.jpg",
    mime: "image/jpeg",
    bytes: 4,
    originalBytes: 9,
    width: 1600,
    height: 900,
    duration: null,
    hasAlpha: false,
    animated: false,
    poster: null,
    placeholder: null,
    variants: [480, 960].map((width) => ({
      src: `/media/2026/abc-sofa-${width}.webp`,
      width,
      bytes: 3,
    })),
    sha256: "f".repeat(64),
    alt: "A sofa",
    createdAt: isoTime(0),
  };

  const partsOf = (paths: ReturnType<typeof instancePaths>) => {
    const { db } = app;
    return {
      db,
      paths,
      pictures: makePictures({ db, mediaRoot: join(paths.content, "app/public") }),
    };
  };

  async function stored(given: Partial<typeof item> = {}) {
    await insertMedia(app.db, { ...item, ...given });
    const media = await findMediaByHash(app.db, item.sha256);
    return { use: "page" as const, mediaId: media?.id ?? 0 };
  }

  test("of a stored item, the copy that shows enough is seen, under the address of the item", async () => {
    const paths = instancePaths(folder.path);
    const file = join(paths.content, "app/public/media/2026/abc-sofa-960.webp");
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, "webp");
    const picture = await pictureOf(partsOf(paths), await stored());
    expect(picture).toMatchObject({ src: item.src, alt: "A sofa", mediaType: "image/webp" });
    expect(Buffer.from(await picture.bytes()).toString()).toBe("webp");
  });

  test("a reference has no address on the site", async () => {
    const paths = instancePaths(folder.path);
    const row = { name: "sketch.png", mime: "image/jpeg", bytes: 3, width: 9, height: 8 };
    await insertReference(app.db, { ...row, id: "01abc", created_at: isoTime(0) });
    await mkdir(paths.references, { recursive: true });
    await writeFile(join(paths.references, "01abc.jpg"), "jpg");
    const picture = await pictureOf(partsOf(paths), { use: "reference", referenceId: "01abc" });
    expect(picture).toMatchObject({ use: "reference", src: null, mediaType: "image/jpeg" });
    expect(Buffer.from(await picture.bytes()).toString()).toBe("jpg");
  });

  test("what is not kept any more is named: its row or its file", async () => {
    const paths = instancePaths(folder.path);
    const parts = partsOf(paths);
    const gone = [
      { use: "page" as const, mediaId: 99 },
      { use: "reference" as const, referenceId: "nope" },
    ];
    for (const attachment of gone) {
      await expect(pictureOf(parts, attachment)).rejects.toMatchObject({
        code: "validation_failed",
        fields: { attachments: expect.stringContaining("not kept") },
      });
    }
    await expect(pictureOf(parts, await stored({ variants: [] }))).rejects.toMatchObject({
      code: "validation_failed",
    });
  });
});

describe("knowledge of the site", () => {
  const releases = { current: async () => undefined };

  test("the record of a project's page, without its private brief; none elsewhere", async () => {
    await app.create({ name: "Harbour map", brief: "Do not tell.", summary: "A map." });
    const ask = (pageUrl: string | null) =>
      siteKnowledge({ db: app.db, releases }, { pageUrl, agents: ["editor"] });
    const { record } = await ask("/projects/harbour-map/?x=1#top");
    expect(record).toMatchObject({ name: "Harbour map", summary: "A map." });
    expect(JSON.stringify(record)).not.toContain("Do not tell.");
    for (const page of ["/about/", "/projects/", "/projects/nothing/", "/", null]) {
      expect((await ask(page)).record).toBeNull();
    }
  });

  test("the sources that are for this kind of agent", async () => {
    const { db, clock } = app;
    const row = { url: "", notes: "Plain words.", enabled: true };
    await createSource({ db, clock }, { ...row, agent: "editor", title: "Voice" });
    await createSource({ db, clock }, { ...row, agent: "qa", title: "Checks" });
    await createSource({ db, clock }, { ...row, agent: "all", title: "Brand" });
    await createSource({ db, clock }, { ...row, agent: "designer", title: "Grids" });
    const titles = async (...agents: ("editor" | "designer")[]) => {
      const { sources } = await siteKnowledge({ db, releases }, { pageUrl: null, agents });
      return sources.map(({ title }) => title);
    };
    expect(await titles("editor")).toEqual(["Voice", "Brand"]);
    expect(await titles("editor", "designer")).toEqual(["Voice", "Brand", "Grids"]);
  });
});
