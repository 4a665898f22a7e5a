import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  type DatabaseMaker,
  dialects,
  startDialect,
} from "../../../../../test/support/postgres.ts";
import { startTokenApi, type TokenApi } from "../../../../../test/support/token-api.ts";
import type { Db } from "../../platform/db/connect.ts";
import { registerSources } from "./api.ts";
import type { Source } from "./schema.ts";
import { sourcesFor } from "./sources.ts";

interface List {
  items: Source[];
  total: number;
}

describe.each(dialects)("the registry of sources on %s", (dialect) => {
  let maker: DatabaseMaker;
  let db: Db;
  let tokens: TokenApi["tokens"];
  let ask: TokenApi["ask"];
  let clock: TokenApi["clock"];

  beforeAll(async () => {
    maker = await startDialect(dialect);
  });
  afterAll(() => maker.close());
  beforeEach(async () => {
    const api = await startTokenApi(maker, "/api/adminsources", registerSources);
    ({ db, tokens, ask, clock } = api);
    return () => api.close();
  });

  async function add(title: string, more: object = {}): Promise<Source> {
    const { status, data } = await ask<Source>("/create", { agent: "all", title, ...more });
    expect(status).toBe(201);
    return data;
  }

  const titles = async (agent = "") =>
    (await ask<List>(`/list${agent}`)).data.items.map(({ title }) => title);

  test("a source is added after the others, changed and removed", async () => {
    const first = await add(" Style  guide ", { url: "https://example.com/style" });
    await add("Voice", { agent: "drafter", notes: "Short.\nNo jokes." });
    expect(first).toMatchObject({ agent: "all", notes: "", enabled: true });
    expect(await titles()).toEqual([first.title, "Voice"]);
    expect(await titles("?agent=drafter")).toEqual(["Voice"]);
    const page = await ask<List>("/list?page=2&perPage=1");
    expect(page.data).toMatchObject({ items: [{ title: "Voice" }], total: 2, page: 2, perPage: 1 });

    clock.advance(1000);
    const saved = await ask<Source>("/save", { id: first.id, enabled: false, url: "" });
    expect(saved.data).toMatchObject({ title: first.title, url: "", enabled: false });
    expect(saved.data.updatedAt > first.updatedAt).toBe(true);

    expect((await ask("/delete", { id: first.id })).data).toEqual({ id: first.id, deleted: true });
    expect((await ask("/delete", { id: first.id })).status).toBe(404);
    expect((await ask("/save", { id: first.id, title: "x" })).status).toBe(404);
  });

  test("an agent is given its own enabled sources and those of all, in their order", async () => {
    await add("One", { agent: "editor", url: "http://example.com" });
    await add("Two", { agent: "drafter" });
    await add("Three", { notes: "Said" });
    await add("Four", { agent: "editor", enabled: false });
    expect(await sourcesFor(db, "editor")).toEqual([
      { title: "One", url: "http://example.com", notes: "" },
      { title: "Three", url: "", notes: "Said" },
    ]);
    expect((await sourcesFor(db, "qa")).map(({ title }) => title)).toEqual(["Three"]);
  });

  test("some change places among all; the others stay where they are", async () => {
    const ids = [];
    for (const title of ["A", "B", "C", "D"]) ids.push((await add(title)).id);
    const [a, , c, d] = ids;
    const { data } = await ask<List>("/reorder", { ids: [d, a, c] });
    expect(data.items.map(({ title }) => title)).toEqual(["D", "B", "A", "C"]);
    expect((await ask("/reorder", { ids: [a, 999] })).status).toBe(404);
    expect((await ask("/reorder", { ids: [a, a] })).status).toBe(422);
    expect(await titles()).toEqual(["D", "B", "A", "C"]);
  });

  test.each([
    [{ agent: "cook", title: "x" }, "agent"],
    [{ agent: "all", title: " " }, "title"],
    [{ agent: "all", title: "x".repeat(141) }, "title"],
    [{ agent: "all", title: "x", url: "javascript:alert(1)" }, "url"],
    [{ agent: "all", title: "x", url: "/style" }, "url"],
    [{ agent: "all", title: "x", url: "https://user:pass@example.com" }, "url"],
    [{ agent: "all", title: "x", url: `https://example.com/${"x".repeat(500)}` }, "url"],
    [{ agent: "all", title: "x", notes: "x".repeat(2001) }, "notes"],
  ])("%o is refused", async (body, field) => {
    const { status, error } = await ask("/create", body);
    expect([status, error.code]).toEqual([422, "validation_failed"]);
    expect(Object.keys(error.fields ?? {})).toEqual([field]);
  });

  test("the starter sources that are missing are added after all others, once however often", async () => {
    const own = await add("Own rule");
    const adding = await Promise.all(
      Array.from({ length: 8 }, () => ask<{ added: number }>("/starters", {})),
    );
    expect(new Set(adding.map(({ status }) => status))).toEqual(new Set([200]));
    const starters = (await titles()).slice(1);
    expect((await titles())[0]).toBe(own.title);
    expect(adding.reduce((sum, { data }) => sum + data.added, 0)).toBe(starters.length);
    expect(starters.length).toBeGreaterThan(4);

    const { data } = await ask<List>("/list");
    const [first, second] = data.items.slice(1);
    await ask("/delete", { id: first?.id });
    await ask("/save", { id: second?.id, notes: "My own words", enabled: false });
    expect((await ask("/starters", {})).data).toEqual({ added: 1 });
    const after = (await ask<List>("/list")).data.items;
    expect(after.at(-1)).toMatchObject({ title: first?.title, enabled: true });
    expect(after[1]).toMatchObject({ id: second?.id, notes: "My own words", enabled: false });
  });

  test("without room for all of the starter sources none is added", async () => {
    for (let i = 0; i < 99; i++) await add(`Source ${i}`);
    const { status, error } = await ask("/starters", {});
    expect([status, error.code]).toEqual([409, "conflict"]);
    expect((await ask<List>("/list?perPage=1")).data.total).toBe(99);
  });

  test("there are a hundred sources at most", async () => {
    for (let i = 0; i < 100; i++) await add(`Source ${i}`);
    const { status, error } = await ask("/create", { agent: "all", title: "One more" });
    expect([status, error.code]).toEqual([409, "conflict"]);
  });

  test("only an admin reads, and only one who may write changes", async () => {
    expect((await ask("/list", undefined, "")).status).toBe(401);
    expect((await ask("/list", undefined, tokens.read)).status).toBe(200);
    for (const path of ["/create", "/save", "/delete", "/reorder", "/starters"]) {
      expect((await ask(path, {}, tokens.read)).status).toBe(403);
    }
  });
});
