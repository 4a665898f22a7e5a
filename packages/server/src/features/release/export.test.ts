import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  type DatabaseMaker,
  dialects,
  startDialect,
} from "../../../../../test/support/postgres.ts";
import type { Db } from "../../platform/db/connect.ts";
import { migrate } from "../../platform/db/migrate.ts";
import { addEntry } from "../changelog/entry.ts";
import { seedChangelog } from "../changelog/seed.ts";
import { saveAvif } from "../media/avif-store.ts";
import { restrictMedia } from "../media/restricted-store.ts";
import { findMediaBySrc, insertMedia, listMedia, type Media, updateMedia } from "../media/store.ts";
import { restrictedFiles } from "../projects/media-files.ts";
import { putSetting } from "../settings/store.ts";
import { audienceHash, exportSite, exportSnapshot } from "./export.ts";
import { nameMark } from "./snapshot.ts";

const facts = { baseUrl: "https://example.com/", owner: { name: "Ada Owner", timeZone: "UTC" } };
const at = "2026-01-01T00:00:00.000Z";
const src = "/media/2026/0123456789ab-a.webp";
const small = "/media/2026/0123456789ab-a-480.webp";

type Tables = {
  project: Record<string, string | number | null>;
  project_brief: { project_id: number; text: string };
  project_redirect: { slug: string; project_id: number; created_at: string };
};

describe.each(dialects)("what a build may know, on %s", (dialect) => {
  let maker: DatabaseMaker;
  let db: Db;

  beforeAll(async () => {
    maker = await startDialect(dialect);
  });
  afterAll(() => maker.close());
  beforeEach(async () => {
    const { database } = await maker.make();
    db = database.db;
    await migrate({ database, now: Date.parse(at) });
    await insertMedia(db, {
      kind: "image",
      src,
      originalName: "private name.heic",
      mime: "image/webp",
      bytes: 1,
      originalBytes: 2,
      width: 4,
      height: 3,
      duration: null,
      hasAlpha: true,
      animated: false,
      poster: null,
      placeholder: null,
      variants: [{ src: small, width: 480, bytes: 1 }],
      sha256: "f".repeat(64),
      alt: "A picture",
      createdAt: at,
    });
    await addProject(1, "first", "published");
    await addProject(2, "draft", "draft");
    await addProject(3, "last", "published");
    await addProject(4, "past", "archived");
  });

  async function addProject(id: number, slug: string, status: string): Promise<void> {
    const tables = db.withTables<Tables>();
    const words = ["summary", "lede", "body", "kind", "period", "role"];
    const none = ["categories", "stack", "skills", "metrics"];
    await tables
      .insertInto("project")
      .values({
        id,
        slug,
        status,
        name: slug,
        ...Object.fromEntries(words.map((name) => [name, ""])),
        ...Object.fromEntries(none.map((name) => [name, "[]"])),
        gallery: JSON.stringify([
          { src, caption: "Shown" },
          { src: `${src}x`, caption: "Gone" },
        ]),
        position: id,
        created_at: at,
        updated_at: at,
      })
      .execute();
    await tables
      .insertInto("project_brief")
      .values({ project_id: id, text: `secret brief of ${slug}` })
      .execute();
  }
  const redirect = (slug: string, id: number) =>
    db
      .withTables<Tables>()
      .insertInto("project_redirect")
      .values({ slug, project_id: id, created_at: at })
      .execute();
  const slugsOf = async (asPublished?: number) =>
    (await exportSnapshot(db, facts, { asPublished })).projects.map(({ slug }) => slug);

  test("an image that is decorative, everywhere or in one place, has no alt text", async () => {
    const [media] = (await listMedia(db, { limit: 1, offset: 0 })).items;
    const shown = async () => {
      const [item] = (await exportSnapshot(db, facts)).projects[0]?.gallery ?? [];
      return { alt: item?.alt, isDecorative: item?.isDecorative };
    };
    expect(await shown()).toEqual({ alt: "A picture", isDecorative: undefined });
    await updateMedia(db, { id: media?.id ?? 0, isDecorative: true });
    expect(await shown()).toEqual({ alt: "", isDecorative: true });
    await updateMedia(db, { id: media?.id ?? 0, isDecorative: false });
    const tables = db.withTables<{ project: { id: number; gallery: string } }>();
    const gallery = JSON.stringify([{ src, caption: "Shown", isDecorative: true }]);
    await tables.updateTable("project").set({ gallery }).where("id", "=", 1).execute();
    expect(await shown()).toEqual({ alt: "", isDecorative: true });
  });

  test("the focal point of an image changes a build's data only where the image is shown", async () => {
    const [media] = (await listMedia(db, { limit: 1, offset: 0 })).items;
    const { id = 0, ...shown } = media ?? {};
    await insertMedia(db, { ...(shown as Media), src: `${src}-unused`, sha256: "e".repeat(64) });
    const unused = (await findMediaBySrc(db, [`${src}-unused`])).get(`${src}-unused`);
    const before = await exportSnapshot(db, facts);
    expect(before.projects[0]?.gallery[0]).not.toHaveProperty("focalPoint");
    await updateMedia(db, { id: unused?.id ?? 0, focalPoint: { x: 0, y: 100 } });
    expect(await exportSnapshot(db, facts)).toEqual(before);
    await updateMedia(db, { id, focalPoint: { x: 20, y: 50 } });
    const [item] = (await exportSnapshot(db, facts)).projects[0]?.gallery ?? [];
    expect(item?.focalPoint).toEqual({ x: 20, y: 50 });
    await updateMedia(db, { id, focalPoint: { x: 50, y: 50 } });
    expect(await exportSnapshot(db, facts)).toEqual(before);
  });

  test("AVIF variants are offered apart, and withheld with their image", async () => {
    const [media] = (await findMediaBySrc(db, [src])).values();
    const avif = [{ src: "/media/2026/aaa-small-480.avif", width: 480, bytes: 1 }];
    await saveAvif(db, media as Media, avif);
    const [item] = (await exportSnapshot(db, facts)).projects[0]?.gallery ?? [];
    expect(item).toMatchObject({ variants: media?.variants, avif });
    await restrictMedia(db, [media?.id ?? 0]);
    await db.withTables<Tables>().deleteFrom("project").execute();
    expect([...(await exportSite(db, facts)).withheld]).toContain(avif[0]?.src);
  });

  test("published records in their order, and of each only what the public sees", async () => {
    const snapshot = await exportSnapshot(db, facts);
    expect(snapshot.projects.map(({ slug }) => slug)).toEqual(["first", "last"]);
    expect(Object.keys(snapshot.projects[0] ?? {})).toEqual(
      "slug identity name summary lede body kind period role categories stack skills metrics gallery reelUrl updatedAt".split(
        " ",
      ),
    );
    expect(snapshot.projects[0]?.gallery).toEqual([
      {
        src,
        caption: "Shown",
        alt: "A picture",
        width: 4,
        height: 3,
        kind: "image",
        poster: null,
        placeholder: null,
        variants: [{ src: small, width: 480, bytes: 1 }],
      },
    ]);
    expect(JSON.stringify(snapshot)).not.toMatch(/secret|draft|past|private name|f{64}/);
  });

  test("of what is left out goes the mark of its name, which tells it from its like alone", async () => {
    const stored = await db.withTables<Tables>().selectFrom("project").select(["slug"]).execute();
    const marks = async (asPublished?: number) =>
      (await exportSnapshot(db, facts, { asPublished })).hiddenNames;
    const shown = await slugsOf();
    const left = stored.map((row) => String(row.slug)).filter((slug) => !shown.includes(slug));
    expect(left).not.toEqual([]);
    expect(await marks()).toEqual(left.map(nameMark).toSorted());
    expect((await marks(2))?.length).toBe(left.length - 1);
    expect(nameMark(" E\u0301tude\u00A0 I ")).toBe(nameMark("étude i"));
  });

  test("with a text go the sizes of the stored images that it names", async () => {
    const body = `![A](${src} "T"), ![again](${src}), ![gone](/media/2026/gone.webp)`;
    await db
      .withTables<Tables>()
      .updateTable("project")
      .set({ body })
      .where("slug", "=", "last")
      .execute();
    const { projects } = await exportSnapshot(db, facts);
    const variants = [{ src: small, width: 480, bytes: 1 }];
    expect(projects.map(({ bodyPictures: bodyImages }) => bodyImages)).toEqual([
      undefined,
      [{ src, width: 4, height: 3, placeholder: null, variants }],
    ]);
  });

  test("a project is shown as published where it stands, for a preview of it", async () => {
    expect(await slugsOf(2)).toEqual(["first", "draft", "last"]);
    expect(await slugsOf(4)).toEqual(["first", "last", "past"]);
    expect(await slugsOf(1)).toEqual(["first", "last"]);
    expect(JSON.stringify(await exportSnapshot(db, facts, { asPublished: 2 }))).not.toMatch(
      /secret/,
    );
    await expect(slugsOf(5)).rejects.toMatchObject({ code: "not_found" });
  });

  test("old addresses lead to published pages; a page has its address", async () => {
    await redirect("zebra", 1);
    await redirect("ancient", 3);
    await redirect("draft-before", 2);
    await redirect("first", 3);
    expect((await exportSnapshot(db, facts)).redirects).toEqual([
      { from: "/projects/ancient/", to: "/projects/last/" },
      { from: "/projects/zebra/", to: "/projects/first/" },
    ]);
    await redirect("draft", 1);
    const { redirects } = await exportSnapshot(db, facts, { asPublished: 2 });
    expect(redirects.map(({ from }) => from)).toEqual(["/projects/ancient/", "/projects/zebra/"]);
  });

  test("what is not for everybody is in no public build, and its files only where a public project shows them", async () => {
    const restrict = (id: number) =>
      db
        .withTables<{ project_audience: { project_id: number; audience: string } }>()
        .insertInto("project_audience")
        .values({ project_id: id, audience: "invited" })
        .execute();
    const before = await audienceHash(db);
    expect(before).toBe("");
    const signUp = (value: string) =>
      putSetting(
        db,
        "accounts",
        { value: JSON.stringify({ signUp: value }), sealed: null },
        facts.baseUrl,
      );
    // Without email nobody can make an account until its owner says so.
    expect((await exportSite(db, facts)).snapshot.site.accounts).toBeUndefined();
    await signUp("open");
    expect((await exportSite(db, facts)).snapshot.site.accounts).toBe(true);
    await signUp("invited");
    expect((await exportSite(db, facts)).snapshot.site.accounts).toBeUndefined();
    await signUp("open");
    expect((await exportSite(db, facts)).snapshot.site.accounts).toBe(true);
    await signUp("closed");
    expect((await exportSite(db, facts)).snapshot.site.accounts).toBeUndefined();
    await redirect("zebra", 1);
    await restrict(1);
    const site = await exportSite(db, facts);
    expect(JSON.stringify(site.snapshot)).not.toMatch(/first|zebra/);
    // That there is something to sign in for is no secret.
    expect(site.snapshot.site.accounts).toBe(true);
    // `last` shows the same image; what neither has stored is only named by it.
    expect([...site.withheld]).toEqual([]);
    const shared = await audienceHash(db);
    expect(shared).not.toBe(before);
    await restrict(3);
    const { snapshot, withheld } = await exportSite(db, facts);
    expect(snapshot.projects).toEqual([]);
    expect([...withheld]).toEqual([src, small, `${src}x`]);
    expect(await audienceHash(db)).not.toBe(shared);
    expect([...(await exportSite(db, facts, { asPublished: 1 })).withheld]).toEqual([]);
    const aside = await exportSite(db, facts, { restricted: [3] });
    expect(aside.snapshot.projects.map(({ slug }) => slug)).toEqual(["last"]);
    expect([...aside.withheld]).toEqual([]);
  });

  test("a file that such a project has shown stays withheld when the project is gone", async () => {
    const [media] = (await findMediaBySrc(db, [src])).values();
    await restrictMedia(db, [media?.id ?? 0]);
    expect([...(await exportSite(db, facts)).withheld]).toEqual([]);
    await db.withTables<Tables>().deleteFrom("project").execute();
    expect([...(await exportSite(db, facts)).withheld]).toEqual([src, small]);
  });

  test("who names a smaller copy names the image", async () => {
    const named = await restrictedFiles(db, [{ gallery: [], body: `![small](${small})` }]);
    expect([...named]).toEqual([src, small]);
  });

  test("the changelog is as it will be with the workspace's seed", async () => {
    const seed = { ownerName: facts.owner.name, now: Date.parse(at) };
    await seedChangelog(db, { ...seed, json: '[["2026-01-02","fix","Seeded",""]]' });
    await addEntry(db, { kind: "fix", title: "App", detail: "", at, actor: "Editor", commit: "c" });
    const titles = async (text?: string | null) =>
      (await exportSnapshot(db, facts, { seed: text })).changelog.map(({ title }) => title);
    expect(await titles()).toEqual(["Seeded", "App"]);
    expect(await titles(null)).toEqual(["Seeded", "App"]);
    expect(await titles('[["2025-01-02","fix","Other",""]]')).toEqual(["App", "Other"]);
    await expect(titles('[["2025-01-02","fix",7,""]]')).rejects.toMatchObject({
      code: "validation_failed",
      message: "database/changelog.json, element 1: title must be text.",
    });
    await expect(titles("nonsense")).rejects.toMatchObject({ code: "malformed_json" });
  });
});
