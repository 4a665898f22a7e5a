import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type DatabaseMaker, startDialect } from "../../../../../../test/support/postgres.ts";
import { startProjectsApp, type ProjectsApp } from "../../../../../../test/support/projects-app.ts";
import { tempFolder, type TempFolder } from "../../../../../../test/support/temp.ts";
import { isoTime } from "../../../kit/time.ts";
import { instancePaths } from "../../../platform/paths.ts";
import { makeImageReader } from "../../design/images.ts";
import { insertReference } from "../../media/reference/store.ts";
import { findMediaByHash, insertMedia } from "../../media/store.ts";
import { createSource } from "../../resources/sources.ts";
import { makeMediaAccess } from "./media-access.ts";
import { resolveAttachment } from "./attachments.ts";
import { readSiteContext } from "./site-context.ts";

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

describe("images", () => {
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
      images: makeImageReader({ db, mediaRoot: join(paths.content, "app/public") }),
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
    const image = await resolveAttachment(partsOf(paths), await stored());
    expect(image).toMatchObject({ src: item.src, alt: "A sofa", mediaType: "image/webp" });
    expect(Buffer.from(await image.bytes()).toString()).toBe("webp");
  });

  test("a reference has no address on the site", async () => {
    const paths = instancePaths(folder.path);
    const row = { name: "sketch.png", mime: "image/jpeg", bytes: 3, width: 9, height: 8 };
    await insertReference(app.db, { ...row, id: "01abc", created_at: isoTime(0) });
    await mkdir(paths.references, { recursive: true });
    await writeFile(join(paths.references, "01abc.jpg"), "jpg");
    const image = await resolveAttachment(partsOf(paths), {
      use: "reference",
      referenceId: "01abc",
    });
    expect(image).toMatchObject({ use: "reference", src: null, mediaType: "image/jpeg" });
    expect(Buffer.from(await image.bytes()).toString()).toBe("jpg");
  });

  test("what is not kept any more is named: its row or its file", async () => {
    const paths = instancePaths(folder.path);
    const parts = partsOf(paths);
    const gone = [
      { use: "page" as const, mediaId: 99 },
      { use: "reference" as const, referenceId: "nope" },
    ];
    for (const attachment of gone) {
      await expect(resolveAttachment(parts, attachment)).rejects.toMatchObject({
        code: "validation_failed",
        fields: { attachments: expect.stringContaining("no longer stored") },
      });
    }
    await expect(resolveAttachment(parts, await stored({ variants: [] }))).rejects.toMatchObject({
      code: "validation_failed",
    });
  });
});

describe("knowledge of the site", () => {
  const releases = { current: async () => undefined };

  test("the record of a project's page, without its private brief; none elsewhere", async () => {
    await app.create({ name: "Harbour map", brief: "Do not tell.", summary: "A map." });
    const ask = (pageUrl: string | null) =>
      readSiteContext({ db: app.db, releases }, { pageUrl, agents: ["editor"] });
    const { record } = await ask("/projects/harbour-map/?x=1#top");
    expect(record).toMatchObject({ name: "Harbour map", summary: "A map." });
    expect(JSON.stringify(record)).not.toContain("Do not tell.");
    for (const page of ["/about/", "/projects/", "/projects/nothing/", "/", null]) {
      expect((await ask(page)).record).toBeNull();
    }
  });

  test("the project of a run's task comes first, also on another project's page", async () => {
    await app.create({ name: "Harbour map" });
    const { id } = await app.create({ name: "Night ferry", brief: "Do not tell." });
    const pageUrl = "/projects/harbour-map/";
    const ask = (projectId: number | null) =>
      readSiteContext({ db: app.db, releases }, { pageUrl, agents: ["designer"], projectId });
    const { record } = await ask(id);
    expect(record).toMatchObject({ name: "Night ferry" });
    expect(JSON.stringify(record)).not.toContain("Do not tell.");
    for (const none of [null, id + 100]) {
      expect((await ask(none)).record).toMatchObject({ name: "Harbour map" });
    }
  });

  test("abuse 119: of drafts only those that the owner's words name, of the rest what everyone sees", async () => {
    await app.create({ name: "Harbour map", status: "published", summary: "A map.", brief: "No." });
    await app.create({ name: "Night ferry", summary: "A draft.", brief: "Do not tell." });
    const restricted = { status: "published", audience: "members" };
    await app.create({ name: "Inner circle", summary: "For some.", ...restricted });
    const ask = (ownerText: string) =>
      readSiteContext(
        { db: app.db, releases },
        { pageUrl: null, agents: ["editor"], words: ownerText },
      );
    const { projects, named } = await ask("Make the ferries and the night shorter");
    expect(projects?.map(({ name }) => name)).toEqual(["Harbour map"]);
    expect(named).toEqual([]);
    const requested = await ask("Say more of the NIGHT  ferry.");
    expect(requested.named).toMatchObject([{ name: "Night ferry", summary: "A draft." }]);
    expect(JSON.stringify(requested)).not.toMatch(/Do not tell|Inner circle|For some|"No\."/);
  });

  test("abuse 119: an image is shown where everyone sees it or the run is about it", async () => {
    const [open, draft, restricted] = await Promise.all(
      ["open", "draft", "some"].map((name) => app.addImage(name)),
    );
    const show = (src = "") => ({ gallery: [{ src }] });
    await app.create({ name: "Harbour map", status: "published", ...show(open) });
    await app.create({ name: "Night ferry", ...show(draft) });
    const members = { status: "published", audience: "members" };
    await app.create({ name: "Inner circle", ...members, ...show(restricted) });
    const mentioned = new Set<string>();
    const git = async (args: readonly string[]) => {
      const named = [...mentioned].some((src) => args.includes(src));
      return { exitCode: 0, stdout: named ? "refs/heads/main:app/src/a.astro\0" : "", stderr: "" };
    };
    const seen = async (instruction: string, page: string | null = null) => {
      const row = { id: "RUN", instruction, page_url: page };
      const rule = { db: app.db, repository: { git }, row, request: { attachments: [] } };
      const mayView = makeMediaAccess(rule as never);
      return Promise.all([open, draft, restricted].map((src) => mayView(src ?? "")));
    };
    expect(await seen("Look")).toEqual([true, false, false]);
    expect(await seen("Look", "/projects/night-ferry/")).toEqual([true, true, false]);
    expect(await seen("Look at Inner Circle")).toEqual([true, false, true]);
    expect(await seen(`Use ${draft}`)).toEqual([true, true, false]);
    for (const src of [draft, restricted]) mentioned.add(src ?? "");
    expect(await seen("Look")).toEqual([true, true, false]);
  });

  test("the sources that are for this kind of agent", async () => {
    const { db, clock } = app;
    const row = { url: "", notes: "Plain words.", enabled: true };
    await createSource({ db, clock }, { ...row, agent: "editor", title: "Voice" });
    await createSource({ db, clock }, { ...row, agent: "qa", title: "Checks" });
    await createSource({ db, clock }, { ...row, agent: "all", title: "Brand" });
    await createSource({ db, clock }, { ...row, agent: "designer", title: "Grids" });
    const titles = async (...agents: ("editor" | "designer")[]) => {
      const { sources } = await readSiteContext({ db, releases }, { pageUrl: null, agents });
      return sources.map(({ title }) => title);
    };
    expect(await titles("editor")).toEqual(["Voice", "Brand"]);
    expect(await titles("editor", "designer")).toEqual(["Voice", "Brand", "Grids"]);
  });
});
