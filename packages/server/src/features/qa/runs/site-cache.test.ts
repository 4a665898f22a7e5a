import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { makeTestDatabase, type TestDatabase } from "../../../../../../test/support/database.ts";
import { clearQa, resource } from "../../../../../../test/support/qa-result.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { SiteCache, CachedExternal, CachedResource } from "vitrine-qa/src/engine/job.ts";
import { readSiteCache, writeSiteCache } from "./site-cache.ts";

let made: TestDatabase;
let db: Db;
beforeAll(async () => {
  made = await makeTestDatabase();
  db = made.database.db;
});
afterAll(() => made.cleanup());
beforeEach(() => clearQa(db));

const external = (url: string, reply: Partial<CachedExternal> = {}): CachedExternal => ({
  url,
  status: 200,
  verdict: "ok",
  code: null,
  checkedAt: "2026-01-05T10:00:00.000Z",
  lastOkAt: "2026-01-05T10:00:00.000Z",
  firstBadAt: null,
  badRuns: 0,
  notBefore: null,
  finalUrl: null,
  from: [],
  ...reply,
});

const site = { engine: "vitrine 1", key: "abc" };
const sorted = (known: SiteCache) => ({
  site: known.site,
  resources: known.resources.map(({ url }) => url).toSorted(),
  externals: known.externals.map(({ url }) => url).toSorted(),
});

const write = (known: SiteCache, how: { isComplete?: boolean; isUnchanged?: boolean } = {}) =>
  writeSiteCache(db, { cache: known, isComplete: true, isUnchanged: false, ...how });

test("a QA run's cached data is available to the next one, however long the address", async () => {
  const long = resource(`/${"a/".repeat(4000)}`);
  const odd = resource("/caf%C3%A9?q=%00");
  const known = { site, resources: [long, odd], externals: [external("https://other.example/")] };
  expect(await write(known)).toEqual({ removedPages: [] });
  const read = await readSiteCache(db);
  expect(sorted(read)).toEqual(sorted(known));
  expect(read.resources).toEqual(expect.arrayContaining([long, odd]));
  expect(read.externals).toEqual(known.externals);
});

test("addresses that a complete run doesn't visit are removed from the cache; an incomplete or unchanged run removes none", async () => {
  const all = {
    site,
    resources: [resource("/"), resource("/old/"), resource("/a.css", { kind: "asset" })],
    externals: [external("https://one.example/"), external("https://two.example/")],
  };
  await write(all);
  const less = { site, resources: [resource("/")], externals: [external("https://one.example/")] };
  expect(await write(less, { isComplete: false })).toEqual({ removedPages: [] });
  expect(await write({ ...less, resources: [] }, { isUnchanged: true })).toEqual({
    removedPages: [],
  });
  expect(sorted(await readSiteCache(db))).toEqual(sorted(all));
  await write(less);
  expect(sorted(await readSiteCache(db))).toEqual(sorted(less));
  await write({ ...less, site: null });
  expect((await readSiteCache(db)).site).toBeNull();
});

describe("a page has left the site", () => {
  const pages = (...resources: CachedResource[]) => ({ site, resources, externals: [] });
  const home = resource("/");
  const old = resource("/old%20%C3%A9/?a=%20");
  beforeEach(() => write(pages(home, old)));
  const gone = { removedPages: ["/old é/?a=%20"] };
  const not = { removedPages: [] };

  test.each<[string, CachedResource]>([
    ["it is not there any more", { ...old, kind: "asset", status: 404 }],
    ["it was removed permanently", { ...old, kind: "asset", status: 410 }],
    ["it leads elsewhere", { ...old, kind: "asset", status: 301 }],
    ["it is no page any more", { ...old, kind: "asset", status: 200 }],
  ])("when %s", async (_, now) => {
    expect(await write(pages(home, now))).toEqual(gone);
    // Also when it is heard of by a QA run that was cut, or after it had failed.
    await write(pages(home, { ...old, kind: "asset", status: 500 }));
    expect(await write(pages(home, now), { isComplete: false })).toEqual(gone);
  });

  test.each([null, 500, 503, 403, 429])("not when it answers %s", async (status) => {
    const now = resource("/old%20%C3%A9/?a=%20", { kind: "asset", status });
    expect(await write(pages(home, now))).toEqual(not);
    expect(await write(pages(home, now))).toEqual(not);
  });

  test("when two whole runs have not met it, and only the first time", async () => {
    expect(await write(pages(home))).toEqual(not);
    expect((await readSiteCache(db)).resources).toEqual([home]);
    expect(await write(pages(home), { isComplete: false })).toEqual(not);
    expect(await write(pages(home))).toEqual(gone);
    expect(await write(pages(home))).toEqual(not);
  });

  test("when one has not met it, and nothing has changed since", async () => {
    expect(await write(pages(home))).toEqual(not);
    expect(await write(pages(home), { isUnchanged: true })).toEqual(gone);
    expect(await write(pages(home), { isUnchanged: true })).toEqual(not);
  });

  test("when it had failed before two whole runs did not meet it", async () => {
    await write(pages(home, { ...old, kind: "asset", status: 500 }));
    expect(await write(pages(home))).toEqual(not);
    expect(await write(pages(home))).toEqual(gone);
  });

  test("not when it is met again between", async () => {
    await write(pages(home));
    await write(pages(home, old));
    expect((await readSiteCache(db)).resources).toHaveLength(2);
    expect(await write(pages(home))).toEqual(not);
    expect(await write(pages(home))).toEqual(gone);
  });

  test("not while the page that may lead to it fails", async () => {
    const failing = { ...home, kind: "asset", status: 502 } as const;
    expect(await write(pages(failing))).toEqual(not);
    // Then it is as if the first whole run came only now.
    expect(await write(pages(home))).toEqual(not);
    expect(await write(pages(home))).toEqual(gone);
  });
});

test("a QA run over an isUnchanged site writes nothing but what it asked of others", async () => {
  const resources = Array.from({ length: 3000 }, (_, n) => resource(`/${n}/`));
  const externals = Array.from({ length: 300 }, (_, n) => external(`https://${n}.example/`));
  await write({ site, resources, externals });
  const written = async () => {
    const [row] = (await db
      .withTables<{ changes: object }>()
      .selectNoFrom(({ fn }) => fn<number>("total_changes", []).as("count"))
      .execute()) as [{ count: number }];
    return row.count;
  };
  const before = await written();
  const requested = externals.map((one, n) =>
    n < 5 ? external(one.url, { checkedAt: "2026-01-06T10:00:00.000Z" }) : one,
  );
  await write({ site, resources, externals: requested }, { isUnchanged: true });
  expect((await written()) - before).toBe(5);
  await write({ site, resources, externals: requested });
  expect((await written()) - before).toBe(5);
});
