import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  type DatabaseMaker,
  dialects,
  startDialect,
} from "../../../../../test/support/postgres.ts";
import type { Database } from "../../platform/db/connect.ts";
import { migrate } from "../../platform/db/migrate.ts";
import { addEntry } from "./entry.ts";
import { seedChangelog } from "./seed.ts";
import { listEntries } from "./store.ts";

const now = Date.UTC(2026, 4, 1);
const seed = [
  ["2026-03-01T10:00:00+01:00", "design", "Second", "With an actor", "Editor"],
  ["2026-01-01", "content", "First", ""],
];

describe.each(dialects)("changelog on %s", (dialect) => {
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

  const seedWith = (list: unknown) =>
    seedChangelog(database.db, { json: JSON.stringify(list), ownerName: "Ada Owner", now });
  const all = async () => (await listEntries(database.db, { limit: 100, offset: 0 })).items;
  const entry = {
    kind: "feature",
    title: "Made in the app",
    detail: "",
    at: "2026-02-01T00:00:00.000Z",
    actor: "Editor",
    commit: "abc",
  };

  test("seeds once, whatever the number of times, and defaults the actor to the owner", async () => {
    expect(await seedWith(seed)).toEqual({ added: 2, removed: 0, unchanged: 0 });
    expect(await seedWith(seed)).toEqual({ added: 0, removed: 0, unchanged: 2 });
    const entries = await all();
    expect(entries.map(({ title, at, actor }) => [title, at, actor])).toEqual([
      ["Second", "2026-03-01T09:00:00.000Z", "Editor"],
      ["First", "2026-01-01T00:00:00.000Z", "Ada Owner"],
    ]);
  });

  test("two seedings at once store each entry once", async () => {
    await Promise.all([seedWith(seed), seedWith(seed), seedWith(seed)]);
    expect(await all()).toHaveLength(2);
  });

  test("an element that left the file leaves the seeded entries; the app's entries stay", async () => {
    await addEntry(database.db, entry);
    await seedWith(seed);
    const before = (await all()).find((item) => item.title === "First");
    expect(await seedWith(seed.slice(1))).toEqual({ added: 0, removed: 1, unchanged: 1 });
    const entries = await all();
    expect(entries.map((item) => item.title)).toEqual(["Made in the app", "First"]);
    expect(entries.find((item) => item.title === "First")?.id).toBe(before?.id);
    await seedWith([]);
    expect((await all()).map((item) => item.source)).toEqual(["app"]);
  });

  test("the same change written twice is two entries", async () => {
    await seedWith([seed[1], seed[1]]);
    expect(await all()).toHaveLength(2);
  });

  test("more entries than a statement takes values", async () => {
    const many = Array.from({ length: 7000 }, (_, i) => ["2026-01-01", "fix", `No. ${i}`, ""]);
    expect((await seedWith(many)).added).toBe(7000);
    expect((await seedWith([])).removed).toBe(7000);
  });

  test.each([
    ["a title that is missing", ["2026-01-01", "fix", " ", ""], /element 2: title can't be empty/],
    ["a time that is none", ["2026-02-30", "fix", "A", ""], /element 2: at must be a date/],
    ["a kind of two words", ["2026-01-01", "two words", "A", ""], /element 2: kind/],
    ["a title of 141", ["2026-01-01", "fix", "x".repeat(141), ""], /at most 140/],
    ["too short a list", ["2026-01-01", "fix", "A"], /element 2: it is not a list/],
    ["an object", { at: "2026-01-01" }, /element 2: it is not a list/],
  ])("%s changes nothing and is named", async (_, element, message) => {
    await seedWith(seed);
    const before = await all();
    await expect(seedWith([seed[1], element])).rejects.toMatchObject({
      code: "validation_failed",
      message: expect.stringMatching(message),
      fields: { 1: expect.any(String) },
    });
    expect(await all()).toEqual(before);
  });

  test("what is no JSON or no list changes nothing", async () => {
    await seedWith(seed);
    const broken = { json: "[", ownerName: "x", now };
    await expect(seedChangelog(database.db, broken)).rejects.toMatchObject({
      code: "malformed_json",
    });
    await expect(seedWith({})).rejects.toMatchObject({ code: "validation_failed" });
    expect(await all()).toHaveLength(2);
  });

  test("pages newest first; a text that is too long is cut, not refused", async () => {
    await seedWith(seed);
    await addEntry(database.db, { ...entry, title: `${"😀".repeat(80)}`, kind: "two words" });
    const page = await listEntries(database.db, { limit: 1, offset: 1 });
    expect(page.total).toBe(3);
    expect(page.items).toHaveLength(1);
    expect(page.items[0]).toMatchObject({ kind: "content", commit: "abc", source: "app" });
    expect(page.items[0]?.title).toMatch(/^(😀){69}…$/u);
  });
});
