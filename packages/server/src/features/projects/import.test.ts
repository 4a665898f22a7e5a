import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  type DatabaseMaker,
  dialects,
  startDialect,
} from "../../../../../test/support/postgres.ts";
import type { Database } from "../../platform/db/connect.ts";
import { migrate } from "../../platform/db/migrate.ts";
import { platformRoot } from "../../platform/paths.ts";
import { findMediaBySrc } from "../media/store.ts";
import { importRecords } from "./import.ts";
import { listPublished } from "./store.ts";

const now = Date.UTC(2026, 4, 1);
const image = {
  kind: "image",
  src: "/media/2026/0123456789ab-cover.webp",
  originalName: "cover.png",
  mime: "image/webp",
  bytes: 1000,
  originalBytes: 3_000_000_000,
  width: 1600,
  height: 900,
  hasAlpha: true,
  variants: [{ src: "/media/2026/0123456789ab-cover-800.webp", width: 800, bytes: 400 }],
  sha256: "a".repeat(64),
  alt: "A cover",
};
const project = {
  slug: "one",
  name: "One",
  status: "published",
  position: 2,
  skills: [{ group: "Build", items: ["Astro"] }],
  gallery: [{ src: image.src, caption: "Cover" }],
};
const brief = "Between the owner and the Web Designer";

describe.each(dialects)("records on %s", (dialect) => {
  let maker: DatabaseMaker;
  let database: Database;
  beforeAll(async () => {
    maker = await startDialect(dialect);
  });
  afterAll(() => maker.close());
  beforeEach(async () => {
    ({ database } = await maker.make());
    await migrate({ database, now });
  });

  const importAll = (records: unknown) =>
    importRecords(database.db, { json: JSON.stringify(records), now });

  test("imports once and lists the published ones in order", async () => {
    const records = {
      media: [image],
      projects: [
        { ...project, brief },
        { ...project, slug: "two", position: 1 },
        { ...project, slug: "three", status: "draft", position: 0 },
      ],
    };
    expect(await importAll(records)).toEqual({ media: 1, projects: 3 });
    expect(await importAll(records)).toEqual({ media: 0, projects: 0 });
    const published = await listPublished(database.db);
    expect(published.map((item) => item.slug)).toEqual(["two", "one"]);
    expect(published[1]).toMatchObject({ ...project, version: 1, reelUrl: null, metrics: [] });
    expect(published[1]).not.toHaveProperty("brief");
    const media = await findMediaBySrc(database.db, [image.src, "/media/2026/x.webp"]);
    expect([...media.values()]).toMatchObject([
      { ...image, animated: false, createdAt: "2026-05-01T00:00:00.000Z" },
    ]);
  });

  test("a wrong record is named by its path and nothing comes in", async () => {
    const wrong = [
      [{ ...project, slug: "Bad Slug" }, /projects\.1\.slug/],
      [{ ...project, slug: "b", gallery: [{ src: "https://x.test/a.png" }] }, /gallery\.0\.src/],
      [{ ...project, slug: "b", gallery: [{ src: "/media/2026/unknown.webp" }] }, /unknown\.webp/],
      [{ ...project, slug: "b", surprise: 1 }, /projects\.1/],
    ] as const;
    for (const [second, message] of wrong) {
      await expect(importAll({ media: [image], projects: [project, second] })).rejects.toThrow(
        message,
      );
      expect(await listPublished(database.db)).toEqual([]);
      expect((await findMediaBySrc(database.db, [image.src])).size).toBe(0);
    }
  });

  test("the sample records of the template come in", async () => {
    const file = join(platformRoot, "packages/template/database/projects.json");
    const json = await readFile(file, "utf8");
    const imported = await importRecords(database.db, { json, now });
    expect(imported.projects).toBeGreaterThan(2);
    expect((await listPublished(database.db)).length).toBeGreaterThan(2);
  });
});
