import { sql } from "kysely";
import * as fc from "fast-check";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  type DatabaseMaker,
  dialects,
  startDialect,
} from "../../../../../test/support/postgres.ts";
import { type ProjectsApp, startProjectsApp } from "../../../../../test/support/projects-app.ts";
import type { Db } from "../../platform/db/connect.ts";
import { migrate } from "../../platform/db/migrate.ts";
import { platformRoot } from "../../platform/paths.ts";
import { listRestrictedMedia } from "../media/restricted-store.ts";
import { findMediaBySrc, usesOfMedia } from "../media/store.ts";
import { exportRecords } from "./export.ts";
import { importRecords } from "./import.ts";
import { listRedirects } from "./store.ts";

const later = Date.UTC(2027, 0, 1);

describe.each(dialects)("the records' file on %s", (dialect) => {
  let maker: DatabaseMaker;
  let app: ProjectsApp;
  beforeAll(async () => {
    maker = await startDialect(dialect);
  });
  afterAll(() => maker.close());
  beforeEach(async () => {
    app = await startProjectsApp(maker);
  });
  afterEach(() => app[Symbol.asyncDispose]());

  async function emptyDatabase(): Promise<Db> {
    const { database } = await maker.make();
    await migrate({ database, now: later });
    return database.db;
  }

  test("what is exported comes in elsewhere, and is exported as the same bytes", async () => {
    const one = await app.addImage("one", { alt: "Ein „Bild“" });
    const two = await app.addImage("two");
    const { id } = await app.create({
      name: "Öresund",
      brief: "Ruhig,\nbitte",
      gallery: [{ src: one }],
    });
    await app.create({
      name: "Alpha",
      status: "published",
      gallery: [{ src: two, caption: "C", alt: "" }],
    });
    await app.create({
      name: "Beta",
      status: "archived",
      audience: "invited",
      gallery: [{ src: one }],
      metrics: [{ value: "1", label: "x" }],
    });
    await sql`update media set focal_x = 20 where src = ${two}`.execute(app.db);
    app.clock.advance(5000);
    await app.ask("/save", { id, version: 1, slug: "sund", status: "published" });
    const text = await exportRecords(app.db);
    expect(JSON.parse(text)).toMatchObject({
      media: [
        { src: one, restricted: true },
        { src: two, focalPoint: { x: 20, y: 50 } },
      ].toSorted((a, b) => (a.src < b.src ? -1 : 1)),
      projects: [
        { slug: "alpha", status: "published", brief: "" },
        { slug: "beta", status: "archived", audience: "invited" },
        {
          slug: "sund",
          brief: "Ruhig,\nbitte",
          position: 0,
          updatedAt: "2026-01-15T12:00:05.000Z",
        },
      ],
      redirects: [{ slug: "oresund", project: "sund" }],
    });
    const db = await emptyDatabase();
    expect(await importRecords(db, { json: text, now: later })).toEqual({ media: 2, projects: 3 });
    expect(await exportRecords(db)).toBe(text);
    expect(await listRedirects(db)).toEqual([{ from: "oresund", to: "sund" }]);
    const media = await findMediaBySrc(db, [one, two]);
    const uses = await usesOfMedia(
      db,
      [...media.values()].map((item) => item.id),
    );
    expect(
      [...uses.values()]
        .flat()
        .map((use) => use.name)
        .toSorted(),
    ).toEqual(["Alpha", "Beta", "Öresund"]);
    expect((await listRestrictedMedia(db)).map(({ src }) => src)).toEqual([one]);
    expect(await importRecords(db, { json: text, now: later })).toEqual({ media: 0, projects: 0 });
    expect(await exportRecords(db)).toBe(text);
  });

  test("a change shows as itself: one line for one field, a place for a place", async () => {
    const ids: number[] = [];
    for (const name of ["a", "b", "c"]) ids.push((await app.create({ name })).id);
    const lines = async () => new Set((await exportRecords(app.db)).split("\n"));
    const text = await exportRecords(app.db);
    expect(text.endsWith("}\n")).toBe(true);
    const before = await lines();
    await app.ask("/save", { id: ids[1], version: 1, summary: "Said differently" });
    expect((await lines()).difference(before)).toEqual(
      new Set(['      "summary": "Said differently",']),
    );
    await app.ask("/reorder", { ids: ids.toReversed() });
    const moved = (await exportRecords(app.db)).split("\n");
    expect(moved).toHaveLength(text.split("\n").length);
    expect(moved.filter((line) => line.includes('"slug"'))).toEqual(
      text.split("\n").filter((line) => line.includes('"slug"')),
    );
  });

  test("what a project was is kept as it is there, and redirects never hide a project", async () => {
    await app.create({ name: "Taken" });
    await app.create({ name: "Kept", slug: "kept" });
    const record = { position: 0, status: "published" };
    const json = JSON.stringify({
      media: [],
      projects: [
        { ...record, slug: "kept", name: "Overwritten" },
        { ...record, slug: "new", name: "New" },
      ],
      redirects: [
        { slug: "taken", project: "new" },
        { slug: "older", project: "kept" },
        { slug: "old", project: "new" },
      ],
    });
    expect(await importRecords(app.db, { json, now: later })).toEqual({ media: 0, projects: 1 });
    expect(await listRedirects(app.db, "all")).toEqual([{ from: "old", to: "new" }]);
    expect((await app.names("?sort=name")).toSorted()).toEqual(["Kept", "New", "Taken"]);
  });

  test.each([
    [[{ slug: "one", project: "one" }], /redirects\.0\.slug/],
    [[{ slug: "old", project: "nobody" }], /redirects\.0\.project/],
    [[{ slug: "Old", project: "one" }], /redirects\.0\.slug/],
  ])("redirects %j are refused and nothing comes in", async (redirects, message) => {
    const projects = [{ slug: "one", name: "One", position: 0, status: "draft" }];
    const json = JSON.stringify({ media: [], projects, redirects });
    await expect(importRecords(app.db, { json, now: later })).rejects.toThrow(message);
    expect(await app.names()).toEqual([]);
  });

  test("the sample records keep their bytes from one export to the next", async () => {
    const sample = await readFile(
      join(platformRoot, "packages/template/database/projects.json"),
      "utf8",
    );
    await importRecords(app.db, { json: sample, now: later });
    const text = await exportRecords(app.db);
    const db = await emptyDatabase();
    await importRecords(db, { json: text, now: later + 1 });
    expect(await exportRecords(db)).toBe(text);
  });

  test("any record that the API takes comes back the same, also through the file", async () => {
    const src = await app.addImage("any");
    const words = (max: number) => fc.string({ maxLength: max, unit: "binary" });
    const some = (max: number) =>
      words(max).map((text) => `a${Array.from(text).slice(1).join("")}`);
    const any = fc.record(
      {
        name: some(120),
        summary: words(280),
        lede: words(600),
        body: words(2000),
        kind: words(60),
        categories: fc.array(some(40), { maxLength: 12 }),
        stack: fc.array(some(40), { maxLength: 8 }),
        skills: fc.array(
          fc.record({ group: some(60), items: fc.array(some(40), { maxLength: 4 }) }),
          { maxLength: 4 },
        ),
        metrics: fc.array(
          fc.record(
            { value: some(24), label: some(60), note: words(160) },
            { requiredKeys: ["value", "label"] },
          ),
          { maxLength: 4 },
        ),
        gallery: fc.array(
          fc.record(
            { src: fc.constant(src), caption: words(300), alt: words(300) },
            { requiredKeys: ["src"] },
          ),
          { maxLength: 4 },
        ),
        brief: words(400),
      },
      { requiredKeys: ["name"] },
    );
    await fc.assert(
      fc.asyncProperty(any, async (fields) => {
        const made = await app.ask<{ id: number; version: number }>("/create", fields);
        // Composing can make a text longer than it was sent.
        fc.pre(made.status !== 422);
        const { id } = made.data;
        const read = await app.get(id);
        expect(read).toEqual(made.data);
        const { media: _media, createdAt: _at, updatedAt: _then, position: _place, ...sent } = read;
        const again = await app.ask("/save", { ...sent, version: 1 });
        expect(again.data).toEqual(read);
      }),
      { numRuns: 40 },
    );
    const text = await exportRecords(app.db);
    const db = await emptyDatabase();
    await importRecords(db, { json: text, now: later });
    expect(await exportRecords(db)).toBe(text);
  });
});
