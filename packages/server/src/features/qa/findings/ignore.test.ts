import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { makeTestDatabase, type TestDatabase } from "../../../../../../test/support/database.ts";
import { clearQa, runOver, observation, states } from "../../../../../../test/support/qa-result.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { listIgnores } from "./ignore-store.ts";
import { ignoreFinding, reopenFinding, ignoreAllOpen, unignore } from "./ignore.ts";
import { countFindings, listFindingGroups, listFindings } from "./list-store.ts";
import { findFinding, queueFinding, tables } from "./store.ts";

let made: TestDatabase;
let db: Db;
beforeAll(async () => {
  made = await makeTestDatabase();
  db = made.database.db;
});
afterAll(() => made.cleanup());
beforeEach(() => clearQa(db));

const at = "2026-01-05T10:00:00.000Z";
const words = { reason: "It is meant so.", until: null, by: "Owner", at };

async function idOf(fingerprint: string): Promise<number> {
  const row = await tables(db)
    .selectFrom("finding")
    .select("id")
    .where("fingerprint", "=", fingerprint)
    .executeTakeFirstOrThrow();
  return row.id;
}

describe("one finding", () => {
  test("is ignored until it is reopened, whatever runs see", async () => {
    await runOver(db, { observations: [observation("one"), observation("two")] });
    const findingId = await idOf("one");
    expect(await ignoreFinding(db, { findingId, ...words })).toEqual({ ignored: 1 });
    const run = await runOver(db, {
      observations: [observation("one", { message: "Still." }), observation("two")],
    });
    expect(run).toMatchObject({ newFindings: 0, counts: { error: 1 } });
    expect(await findFinding(db, findingId)).toMatchObject({
      status: "ignored",
      message: "Still.",
      seen_count: 2,
      ignore_kind: "finding",
      ignore_reason: "It is meant so.",
      ignore_by: "Owner",
      ignore_at: at,
      ignore_until: null,
    });
    expect(await listIgnores(db)).toMatchObject([
      { kind: "finding", fingerprint: "one", findings: 1 },
    ]);
    expect(await reopenFinding(db, { findingId })).toEqual({ reopened: 1 });
    expect(await states(db)).toEqual({ one: "open", two: "open" });
    expect(await listIgnores(db)).toEqual([]);
  });

  test("that has disappeared stays ignored and becomes fixed when it is reopened", async () => {
    await runOver(db, { observations: [observation("one")] });
    const findingId = await idOf("one");
    await ignoreFinding(db, { findingId, ...words });
    const gone = await runOver(db, {});
    expect(gone.fixedFindings).toBe(0);
    expect(await findFinding(db, findingId)).toMatchObject({
      status: "ignored",
      fixed_at: gone.at,
    });
    // There again: ignored still, and nothing is told of it.
    expect(await runOver(db, { observations: [observation("one")] })).toMatchObject({
      reopenedFindings: 0,
      counts: { error: 0 },
    });
    expect(await findFinding(db, findingId)).toMatchObject({ status: "ignored", fixed_at: null });
    await runOver(db, {});
    await reopenFinding(db, { findingId });
    expect(await states(db)).toEqual({ one: "fixed" });
  });

  test("is open again at the first run after the time has passed", async () => {
    await runOver(db, { observations: [observation("one"), observation("gone")] }, { at });
    const until = "2026-01-06T10:00:00.000Z";
    for (const name of ["one", "gone"]) {
      await ignoreFinding(db, { findingId: await idOf(name), ...words, until });
    }
    await runOver(db, { observations: [observation("one")] }, { at: "2026-01-06T09:59:59.999Z" });
    expect(await states(db)).toEqual({ one: "ignored", gone: "ignored" });
    // Also where nothing has changed, and what is gone meanwhile is no alarm.
    const run = await runOver(db, { isUnchanged: true }, { at: until });
    expect(await states(db)).toEqual({ one: "open", gone: "fixed" });
    expect(run).toMatchObject({ counts: { error: 1 }, newFindings: 0, reopenedFindings: 0 });
    expect(await listIgnores(db)).toEqual([]);
  });

  test("that isn't open, or doesn't exist, is refused with its state, and nothing changes", async () => {
    await runOver(db, { observations: [observation("one"), observation("two")] });
    await runOver(db, { observations: [observation("two")] });
    const fixed = { code: "invalid_state", details: { status: "fixed" } };
    const one = await idOf("one");
    await expect(ignoreFinding(db, { findingId: one, ...words })).rejects.toMatchObject(fixed);
    await expect(reopenFinding(db, { findingId: one })).rejects.toMatchObject(fixed);
    await queueFinding(db, await idOf("two"), { taskId: 1, instruction: null }).catch(() => {});
    await expect(ignoreFinding(db, { findingId: 9999, ...words })).rejects.toMatchObject({
      code: "not_found",
    });
    await expect(unignore(db, 9999)).rejects.toMatchObject({ code: "not_found" });
    await expect(ignoreFinding(db, { findingId: one, ...words, until: at })).rejects.toMatchObject({
      code: "validation_failed",
    });
    expect(await listIgnores(db)).toEqual([]);
  });
});

describe("a rule", () => {
  test("applies to present and future findings, on one page or on all", async () => {
    await runOver(db, {
      observations: [
        observation("one"),
        observation("other", { page: "/a/" }),
        observation("alt", { check: "img.alt-missing", severity: "warning" }),
      ],
    });
    const rule = { check: "link.internal-broken", pageUrl: "/a/" };
    expect(await ignoreFinding(db, { ...rule, ...words })).toEqual({ ignored: 1 });
    const observations = [
      observation("one"),
      observation("other", { page: "/a/" }),
      observation("new", { page: "/a/" }),
      observation("new too"),
      observation("alt", { check: "img.alt-missing", severity: "warning" }),
    ];
    const run = await runOver(db, { observations });
    expect(run).toMatchObject({ newFindings: 1, counts: { error: 2, warning: 1 } });
    expect(await states(db)).toMatchObject({ other: "ignored", new: "ignored", "new too": "open" });
    expect(await ignoreFinding(db, { check: "img.alt-missing", pageUrl: null, ...words })).toEqual({
      ignored: 1,
    });
    expect((await listIgnores(db)).map(({ check_id, findings }) => [check_id, findings])).toEqual([
      ["img.alt-missing", 1],
      ["link.internal-broken", 2],
    ]);
  });

  test("for one page leaves findings open that are on other pages, too", async () => {
    const rule = { check: "link.internal-broken", pageUrl: "/a/" };
    const here = (fingerprint: string) => observation(fingerprint, { page: "/a/" });
    const both = ["/a/", "/b/"];
    await runOver(db, {
      observations: [here("here"), observation("both", { pages: both }), here("grows")],
      visited: both,
    });
    expect(await ignoreFinding(db, { ...rule, ...words })).toEqual({ ignored: 2 });
    expect(await states(db)).toEqual({ here: "ignored", both: "open", grows: "ignored" });
    const grown = observation("grows", { pages: both });
    await runOver(db, { observations: [here("here"), here("both"), grown], visited: both });
    expect(await states(db)).toEqual({ here: "ignored", both: "ignored", grows: "open" });
  });

  test("releases a manually reopened finding; a later rule applies to it", async () => {
    await runOver(db, { observations: [observation("one"), observation("two")] });
    const rule = { check: "link.internal-broken", pageUrl: null };
    await ignoreFinding(db, { ...rule, ...words });
    await reopenFinding(db, { findingId: await idOf("one") });
    await runOver(db, {
      observations: [observation("one"), observation("two"), observation("three")],
    });
    expect(await states(db)).toEqual({ one: "open", two: "ignored", three: "ignored" });
    // Said once more it holds for all, and there is one of it.
    expect(await ignoreFinding(db, { ...rule, ...words, reason: "Again." })).toEqual({
      ignored: 3,
    });
    expect(await listIgnores(db)).toMatchObject([{ reason: "Again.", findings: 3 }]);
  });

  test("when removed, reopens findings that no other rule ignores", async () => {
    await runOver(db, {
      observations: [observation("one"), observation("two", { page: "/a/" }), observation("gone")],
    });
    await ignoreFinding(db, { check: "link.internal-broken", pageUrl: null, ...words });
    await ignoreFinding(db, { check: "link.internal-broken", pageUrl: "/a/", ...words });
    await runOver(db, { observations: [observation("one"), observation("two", { page: "/a/" })] });
    const [narrow, broad] = await listIgnores(db);
    expect([narrow?.findings, broad?.findings]).toEqual([0, 3]);
    expect(await unignore(db, broad?.id ?? 0)).toEqual({ reopened: 1 });
    expect(await states(db)).toEqual({ one: "open", two: "ignored", gone: "fixed" });
    expect(await listIgnores(db)).toMatchObject([{ id: narrow?.id, findings: 1 }]);
  });

  test("when expired, is removed, and findings of other rules stay ignored", async () => {
    await runOver(db, { observations: [observation("one"), observation("two", { page: "/a/" })] });
    const until = "2026-01-06T10:00:00.000Z";
    await ignoreFinding(db, { check: "link.internal-broken", pageUrl: null, ...words, until });
    await ignoreFinding(db, { check: "link.internal-broken", pageUrl: "/a/", ...words });
    await runOver(db, { isUnchanged: true }, { at: "2026-01-07T00:00:00.000Z" });
    expect(await states(db)).toEqual({ one: "open", two: "ignored" });
  });

  test("doesn't ignore fixed findings, but does if they occur again", async () => {
    await runOver(db, { observations: [observation("one")] });
    await runOver(db, {});
    await ignoreFinding(db, { check: "link.internal-broken", pageUrl: null, ...words });
    expect(await states(db)).toEqual({ one: "fixed" });
    expect(await runOver(db, { observations: [observation("one")] })).toMatchObject({
      reopenedFindings: 0,
      counts: { error: 0 },
    });
    expect(await states(db)).toEqual({ one: "ignored" });
  });
});

test("a baseline ignores all open findings, and only later ones are reported", async () => {
  const old = [observation("one"), observation("two", { severity: "warning" })];
  await runOver(db, { observations: old });
  expect(await ignoreAllOpen(db, { by: "Owner", at })).toEqual({ ignored: 2 });
  expect(await ignoreAllOpen(db, { by: "Owner", at })).toEqual({ ignored: 0 });
  const quiet = await runOver(db, { observations: old });
  expect(quiet).toMatchObject({ newFindings: 0, counts: { error: 0, warning: 0, notice: 0 } });
  const loud = await runOver(db, { observations: [...old, observation("three")] });
  expect(loud).toMatchObject({ newFindings: 1, counts: { error: 1 } });
  const [baseline] = await listIgnores(db);
  expect(baseline).toMatchObject({
    kind: "baseline",
    reason: "Existed when the baseline was set on 2026-01-05.",
    findings: 2,
  });
  // One of them matters after all, then all of them do.
  await reopenFinding(db, { findingId: await idOf("two") });
  await runOver(db, { observations: [...old, observation("three")] });
  expect(await states(db)).toEqual({ one: "ignored", two: "open", three: "open" });
  await unignore(db, baseline?.id ?? 0);
  expect(await states(db)).toEqual({ one: "open", two: "open", three: "open" });
});

test("a finding on many pages is found by each of them, and its group counts them", async () => {
  const pages = ["/", "/a/", "/a_b/"];
  await runOver(db, { observations: [observation("many", { pages })], visited: pages });
  const on = async (pageUrl: string) =>
    (await listFindings(db, { pageUrl, page: 1, perPage: 9 })).total;
  expect(await Promise.all(pages.map(on))).toEqual([1, 1, 1]);
  expect(await on("/axb/")).toBe(0);
  expect(await on("/a")).toBe(0);
  expect(await on("/A/")).toBe(0);
  expect(await listFindingGroups(db, {})).toMatchObject([{ findings: 1, pages: 3 }]);
});

test("lists, groups, and counts match their filters", async () => {
  const observations = [
    observation("a", { severity: "warning", message: "100% of _it_ is BROKEN", page: "/a/" }),
    observation("b", { severity: "error", confidence: "likely", isSafe: true }),
    observation("c", { severity: "error", pages: ["/", "/a/"], message: "The worst." }),
    observation("d", {
      check: "sec.exposed",
      category: "security",
      critical: true,
      scope: "probe",
    }),
    observation("e", {
      check: "seo.title",
      category: "seo",
      severity: "notice",
      confidence: "review",
    }),
  ];
  const { runId } = await runOver(db, { observations });
  const find = async (query: Omit<Parameters<typeof listFindings>[1], "page" | "perPage">) =>
    (await listFindings(db, { ...query, page: 1, perPage: 50 })).rows.map((row) => row.fingerprint);
  expect(await find({})).toEqual(["d", "c", "b", "a", "e"]);
  expect(await find({ sort: "newest" })).toEqual(["e", "d", "c", "b", "a"]);
  expect(await find({ sort: "oldest" })).toEqual(["a", "b", "c", "d", "e"]);
  expect(await find({ sort: "lastSeen", runId })).toHaveLength(5);
  expect(await find({ runId: runId + 1 })).toEqual([]);
  expect(await find({ status: ["fixed", "ignored"] })).toEqual([]);
  expect(
    await find({ status: ["open"], severity: "error", check: "link.internal-broken" }),
  ).toEqual(["c", "b"]);
  expect(await find({ category: "seo" })).toEqual(["e"]);
  expect(await find({ scope: "probe" })).toEqual(["d"]);
  expect(await find({ pageUrl: "/a/" })).toEqual(["c", "a"]);
  expect(await find({ q: "broken 100%" })).toEqual(["a"]);
  expect(await find({ q: "_it_" })).toEqual(["a"]);
  expect(await find({ q: "10_%" })).toEqual([]);
  expect(await listFindings(db, { page: 2, perPage: 2 })).toMatchObject({
    total: 5,
    rows: [{ fingerprint: "b" }, { fingerprint: "a" }],
  });
  expect(await listFindings(db, { page: 9, perPage: 2 })).toEqual({ rows: [], total: 5 });
  expect(await listFindingGroups(db, { status: ["open"] })).toEqual([
    {
      check: "sec.exposed",
      category: "security",
      severity: "error",
      critical: true,
      findings: 1,
      pages: 1,
      isSafe: false,
      example: "The link leads to /d, which is not there.",
    },
    {
      check: "link.internal-broken",
      category: "links",
      severity: "error",
      critical: false,
      findings: 3,
      pages: 2,
      isSafe: false,
      example: "The worst.",
    },
    expect.objectContaining({ check: "seo.title", severity: "notice" }),
  ]);
  await ignoreFinding(db, { check: "seo.title", pageUrl: null, ...words });
  expect(await countFindings(db)).toEqual({
    open: { error: 3, warning: 1, notice: 0 },
    queued: 0,
    ignored: 1,
    fixed: 0,
  });
});
