import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type DatabaseMaker,
  dialects,
  startDialect,
} from "../../../../../test/support/postgres.ts";
import { type ProjectsApp, startProjectsApp } from "../../../../../test/support/projects-app.ts";
import type { ProjectFilters, ProjectList } from "./schema.ts";

const owned = [
  {
    name: "Tidewater",
    categories: ["Maps", "Print"],
    stack: ["Astro"],
    status: "published",
    audience: "members",
  },
  { name: "Ångström & Søn", categories: ["Type"], summary: "Größe and ΣΊΣΥΦΟΣ", status: "draft" },
  { name: "100% wool", categories: ["Print, by hand"], role: "Design_lead", status: "archived" },
  { name: "Zebra", categories: ['say "Maps"', "Maps\\"], kind: "Case study", status: "published" },
  { name: "apple", categories: [",", "Maps"], stack: ["C++"], status: "published" },
];

describe.each(dialects)("the list of projects on %s", (dialect) => {
  let maker: DatabaseMaker;
  let app: ProjectsApp;
  beforeAll(async () => {
    maker = await startDialect(dialect);
    app = await startProjectsApp(maker);
    for (const fields of owned) {
      app.clock.advance(1000);
      await app.create(fields);
    }
  });
  afterAll(async () => {
    await app[Symbol.asyncDispose]();
    await maker.close();
  });

  const search = (q: string) => app.names(`?sort=name&q=${encodeURIComponent(q)}`);

  test.each([
    ["tide", ["Tidewater"]],
    ["TIDEWATER maps", ["Tidewater"]],
    ["maps tide", ["Tidewater"]],
    ["astro", ["Tidewater"]],
    ["angstrom", ["Ångström & Søn"]],
    ["ÅNGSTRÖM", ["Ångström & Søn"]],
    ["A\u030Angstro\u0308m", ["Ångström & Søn"]],
    ["soen", []],
    ["son", ["Ångström & Søn"]],
    ["grosse", ["Ångström & Søn"]],
    ["σίσυφος", ["Ångström & Søn"]],
    ["%", ["100% wool"]],
    ["_", ["100% wool"]],
    ["design_lead", ["100% wool"]],
    ["designxlead", []],
    ["!", []],
    ["\\", ["Zebra"]],
    ['"maps"', ["Zebra"]],
    ["c++", ["apple"]],
    ["case-study", []],
    ["tidewater zebra", []],
    ["\u0000", ["100% wool", "Ångström & Søn", "apple", "Tidewater", "Zebra"]],
    ["'; drop table project; --", []],
  ])("a search for %j finds %j", async (q, names) => {
    expect((await search(q)).toSorted()).toEqual(names.toSorted());
  });

  test.each([
    ["Maps", ["Tidewater", "apple"]],
    ["maps", []],
    ["Print", ["Tidewater"]],
    ["Print, by hand", ["100% wool"]],
    ['say "Maps"', ["Zebra"]],
    ["Maps\\", ["Zebra"]],
    [",", ["apple"]],
    ["%", []],
    ["", ["Tidewater", "Ångström & Søn", "100% wool", "Zebra", "apple"]],
  ])("the category %j has %j", async (category, names) => {
    expect(await app.names(`?category=${encodeURIComponent(category)}`)).toEqual(names);
  });

  test("orders are the owner's, by name without case or accents, or last changed first", async () => {
    expect(await app.names()).toEqual(owned.map(({ name }) => name));
    expect(await app.names("?sort=name")).toEqual([
      "100% wool",
      "Ångström & Søn",
      "apple",
      "Tidewater",
      "Zebra",
    ]);
    expect(await app.names("?sort=updated")).toEqual(owned.map(({ name }) => name).toReversed());
  });

  test("pages, filters and their counts fit each other", async () => {
    const page = async (query: string) => (await app.ask<ProjectList>(`/list?${query}`)).data;
    const shape = ({ items, ...rest }: ProjectList) => [items.map(({ name }) => name), rest];
    expect(shape(await page("perPage=2&page=2"))).toEqual([
      ["100% wool", "Zebra"],
      { total: 5, page: 2, perPage: 2 },
    ]);
    expect(shape(await page("perPage=2&page=9"))).toEqual([[], { total: 5, page: 9, perPage: 2 }]);
    expect(shape(await page("status=published&category=Maps&q=a&sort=updated"))).toEqual([
      ["apple", "Tidewater"],
      { total: 2, page: 1, perPage: 25 },
    ]);
    const members = await page("audience=members&q=tide");
    expect(members).toMatchObject({ items: [{ name: "Tidewater", audience: "members" }] });
    expect(await app.names("?audience=members")).toEqual(["Tidewater"]);
    expect((await page("audience=everyone&status=published&sort=name")).total).toBe(2);
    expect((await page("audience=invited")).total).toBe(0);
    expect((await app.ask<ProjectFilters>("/filters")).data).toEqual({
      statuses: { draft: 1, published: 3, archived: 1 },
      categories: expect.arrayContaining([
        { name: "Maps", count: 2 },
        { name: "Print", count: 1 },
        { name: 'say "Maps"', count: 1 },
        { name: ",", count: 1 },
      ]),
    });
  });

  test("what is saved is found, and what it was is not", async () => {
    const { id } = await app.create({ name: "Ephemeral" });
    await app.ask("/save", { id, version: 1, name: "Lasting", categories: ["New"] });
    expect([await search("ephemeral"), await search("lasting")]).toEqual([
      ["Lasting"],
      ["Lasting"],
    ]);
    await app.ask("/save", { id, version: 2, slug: "lasting" });
    expect(await search("ephemeral")).toEqual([]);
    expect(await app.names("?category=New")).toEqual(["Lasting"]);
    await app.ask("/delete", { id });
    expect(await search("lasting")).toEqual([]);
  });
});
