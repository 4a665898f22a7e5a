import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  type DatabaseMaker,
  dialects,
  startDialect,
} from "../../../../../test/support/postgres.ts";
import { startTokenApi, type TokenApi } from "../../../../../test/support/token-api.ts";
import type { Db } from "../../platform/db/connect.ts";
import { registerChangelog } from "./api.ts";
import type { Entry } from "./schema.ts";
import { listEntriesAfterSeeding, seedChangelog } from "./seed.ts";

const ownerName = "Ada Owner";

describe.each(dialects)("the changelog's API on %s", (dialect) => {
  let maker: DatabaseMaker;
  let db: Db;
  let tokens: TokenApi["tokens"];
  let ask: TokenApi["ask"];
  let clock: TokenApi["clock"];
  /** What the site was told to follow; `fail` refuses it, as a full disk would. */
  let reported: string[];
  let fail: boolean;

  beforeAll(async () => {
    maker = await startDialect(dialect);
  });
  afterAll(() => maker.close());
  beforeEach(async () => {
    reported = [];
    fail = false;
    const onChange = async (transaction: Db, reason: string) => {
      expect(transaction.isTransaction).toBe(true);
      if (fail) throw new Error("it can't be told");
      reported.push(reason);
    };
    const api = await startTokenApi(maker, "/api/adminchangelog", (app, parts) =>
      registerChangelog(app, { ...parts, ownerName, onChange }),
    );
    ({ db, tokens, ask, clock } = api);
    return () => api.close();
  });

  const create = (more: object = {}) =>
    ask<Entry>("/create", { kind: "fix", title: "Mended", ...more });
  const list = (query = "") =>
    ask<{ items: Entry[]; total: number; page: number; perPage: number }>(`/list${query}`);
  const titles = async (query: string) => (await list(query)).data.items.map(({ title }) => title);
  const seed = () =>
    seedChangelog(db, {
      json: JSON.stringify([["2026-01-01", "design", "Drawn", "In ink"]]),
      ownerName,
      now: clock.now(),
    });

  test("an entry is hidden from visitors and shown again", async () => {
    const { id } = (await create()).data;
    const save = (body: object) => ask<Entry>("/save", { id, ...body });
    const shown = async () => (await listEntriesAfterSeeding(db, { limit: 9, seed: null })).length;
    expect((await save({ hidden: true })).data).toMatchObject({ hidden: true, title: "Mended" });
    expect(await shown()).toBe(0);
    expect((await save({ title: "Mended it" })).data).toMatchObject({ hidden: true });
    expect((await save({ hidden: false })).data).toMatchObject({ hidden: false });
    expect(await shown()).toBe(1);
    expect((await save({ hidden: "yes" })).error.fields).toHaveProperty("hidden");
  });

  test("an entry is by the owner and of now unless it says otherwise", async () => {
    const made = await create();
    expect(made.status).toBe(201);
    expect(made.data).toEqual({
      id: expect.any(Number),
      kind: "fix",
      title: "Mended",
      detail: "",
      at: "2026-01-15T12:00:00.000Z",
      actor: ownerName,
      source: "app",
      commit: null,
      hidden: false,
    });
    const other = await create({
      at: "2026-01-02T01:00:00+02:00",
      actor: " Editor ",
      kind: "Fest",
    });
    expect(other.data).toMatchObject({
      at: "2026-01-01T23:00:00.000Z",
      actor: "Editor",
      kind: "Fest",
    });
    expect((await ask(`/get?id=${other.data.id}`)).data).toEqual(other.data);
    expect(reported).toEqual(["Changelog: “Mended” was added", "Changelog: “Mended” was added"]);
  });

  test("a correction changes what it names, and nothing when it says the same", async () => {
    const { id } = (await create({ detail: "Long\nago", actor: "Editor" })).data;
    const saved = await ask<Entry>("/save", { id, title: "Mended it", actor: "" });
    expect(saved.status).toBe(200);
    expect(saved.data).toMatchObject({ title: "Mended it", detail: "Long\nago", actor: ownerName });
    expect((await list()).data.items).toEqual([saved.data]);
    expect((await ask<Entry>("/save", { id, title: " Mended it" })).data).toEqual(saved.data);
    expect(reported).toHaveLength(2);
    expect((await ask("/delete", { id })).data).toEqual({ id, deleted: true });
    expect((await list()).data.total).toBe(0);
    expect(reported.at(-1)).toBe("Changelog: “Mended it” was removed");
    expect((await ask("/delete", { id })).error.code).toBe("not_found");
    expect((await ask("/save", { id, title: "x" })).error.code).toBe("not_found");
    expect((await ask(`/get?id=${id}`)).error.code).toBe("not_found");
  });

  test("a seeded entry is changed where it lives", async () => {
    await seed();
    const [entry] = (await list("?source=seed")).data.items;
    for (const [path, body] of [
      ["/save", { id: entry?.id, title: "x" }],
      ["/delete", { id: entry?.id }],
    ] as const) {
      const response = await ask(path, body);
      expect(response).toMatchObject({ status: 409, error: { code: "invalid_state" } });
      expect(response.error.message).toContain("database/changelog.json");
    }
    expect((await list()).data.items).toEqual([entry]);
    expect(reported).toEqual([]);
  });

  test("a change that the site can't be told of isn't made", async () => {
    const { id } = (await create()).data;
    fail = true;
    for (const [path, body] of [
      ["/create", { kind: "fix", title: "Another" }],
      ["/save", { id, title: "Another" }],
      ["/delete", { id }],
    ] as const) {
      expect((await ask(path, body)).status).toBe(500);
    }
    expect(await titles("")).toEqual(["Mended"]);
  });

  test("pages newest first, searched in every text and filtered", async () => {
    await seed();
    await create({ title: "Åtgärdat 100% fel", at: "2026-01-03" });
    await create({ title: "Second", detail: "the Ink_well", kind: "content", at: "2026-01-02" });
    await create({ title: "Third", actor: "Inka", at: "2026-01-04" });
    const page = await list("?page=2&perPage=3");
    expect(page.data).toMatchObject({ total: 4, page: 2, perPage: 3, items: [{ title: "Drawn" }] });
    expect(await titles("?q=INK")).toEqual(["Third", "Second", "Drawn"]);
    expect(await titles("?q=k_")).toEqual(["Second"]);
    expect(await titles("?q=0%25")).toEqual(["Åtgärdat 100% fel"]);
    expect(await titles(`?q=${encodeURIComponent("åtgärdat")}`)).toEqual(["Åtgärdat 100% fel"]);
    expect(await titles("?kind=content")).toEqual(["Second"]);
    expect(await titles("?source=app&q=in")).toEqual(["Third", "Second"]);
    expect(await titles("?q=%20")).toHaveLength(4);
    expect((await list("?q=nothing")).data).toMatchObject({ items: [], total: 0 });
  });

  test.each([
    [{ title: "" }, "title"],
    [{ title: "x".repeat(141) }, "title"],
    [{ title: undefined }, "title"],
    [{ kind: "two words" }, "kind"],
    [{ kind: "" }, "kind"],
    [{ detail: "x".repeat(2001) }, "detail"],
    [{ actor: "x".repeat(121) }, "actor"],
    [{ at: "2026-02-30" }, "at"],
    [{ at: "yesterday" }, "at"],
    [{ at: "9999-12-31T23:59:59-14:00" }, "at"],
    [{ source: "seed" }, "source"],
    [{ commit: "abc" }, "commit"],
  ])("%j is refused at its field", async (wrong, field) => {
    const response = await create(wrong);
    expect(response).toMatchObject({ status: 422, error: { code: "validation_failed" } });
    expect(Object.keys(response.error.fields ?? {})).toEqual([field]);
    expect((await list()).data.total).toBe(0);
  });

  test("what is no number, key or page is refused", async () => {
    for (const path of [
      "/get",
      "/get?id=x",
      "/get?id=3000000000",
      "/list?perPage=101",
      "/list?source=x",
      "/list?x=1",
    ]) {
      expect((await ask(path)).status).toBe(422);
    }
    expect((await ask("/delete", { id: "1" })).status).toBe(422);
  });

  test("a stranger sees nothing, a reader changes nothing", async () => {
    expect((await ask("/list", undefined, "")).status).toBe(401);
    expect((await ask("/create", { nonsense: 1 }, "")).status).toBe(401);
    expect((await ask("/list", undefined, tokens.read)).status).toBe(200);
    for (const path of ["/create", "/save", "/delete"]) {
      expect((await ask(path, {}, tokens.read)).error.code).toBe("forbidden");
    }
  });
});
