import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { makeTestDatabase, type TestDatabase } from "../../../../../../test/support/database.ts";
import {
  clearQa,
  runOver,
  resource,
  result,
  observation,
  states,
} from "../../../../../../test/support/qa-result.ts";
import { addTaskRow } from "../../../../../../test/support/queue-tasks.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { EngineResult } from "vitrine-qa/src/engine/job.ts";
import { insertRun, findRun } from "../runs/store.ts";
import { queueFinding, tables } from "./store.ts";
import { listFindings } from "./list-store.ts";

let made: TestDatabase;
let db: Db;
beforeAll(async () => {
  made = await makeTestDatabase();
  db = made.database.db;
});
afterAll(() => made.cleanup());
beforeEach(() => clearQa(db));

async function only(fingerprint = "one") {
  return tables(db)
    .selectFrom("finding")
    .selectAll()
    .where("fingerprint", "=", fingerprint)
    .executeTakeFirstOrThrow();
}

test("a finding lives across runs: new, seen, fixed, reopened", async () => {
  const first = await runOver(db, { observations: [observation("one"), observation("two")] });
  expect(first).toMatchObject({
    newFindings: 2,
    fixedFindings: 0,
    reopenedFindings: 0,
    counts: { error: 2, warning: 0, notice: 0 },
  });
  const second = await runOver(db, { observations: [observation("one")] });
  expect(second).toMatchObject({
    newFindings: 0,
    fixedFindings: 1,
    reopenedFindings: 0,
    counts: { error: 1 },
  });
  expect(await only("two")).toMatchObject({
    status: "fixed",
    fixed_at: second.at,
    last_seen_at: first.at,
    last_run_id: first.runId,
  });
  const third = await runOver(db, { observations: [observation("one"), observation("two")] });
  expect(third).toMatchObject({
    newFindings: 0,
    fixedFindings: 0,
    reopenedFindings: 1,
    counts: { error: 2 },
  });
  expect(await only("two")).toMatchObject({
    status: "open",
    fixed_at: null,
    first_seen_at: first.at,
    first_run_id: first.runId,
    last_seen_at: third.at,
    last_run_id: third.runId,
    seen_count: 2,
  });
  expect(await only()).toMatchObject({ seen_count: 3, first_seen_at: first.at });
  const marks = await tables(db)
    .selectFrom("finding_run")
    .select(["run_id", "finding_id", "state"])
    .orderBy("run_id")
    .orderBy("finding_id")
    .execute();
  expect(marks.map(({ state }) => state)).toEqual([
    "new",
    "new",
    "seen",
    "fixed",
    "seen",
    "reopened",
  ]);
  const of = async (runId: number) =>
    (await listFindings(db, { runId, page: 1, perPage: 10 })).rows.map((row) => row.fingerprint);
  expect(await of(second.runId)).toEqual(["one", "two"]);
});

test("findings of an earlier version go on as the one that has their cause now", async () => {
  const first = await runOver(db, {
    observations: [observation("a"), observation("b", { pages: ["/a/"] })],
  });
  const { id: task } = await addTaskRow(db, "queued");
  await queueFinding(db, (await only("b")).id, { taskId: task, instruction: null });
  const cause = { formerly: ["a", "b", "c"], pages: ["/", "/a/"] };
  const second = await runOver(db, { observations: [observation("cause", cause)] });
  expect(second).toMatchObject({ newFindings: 0, fixedFindings: 1, reopenedFindings: 0 });
  expect(await only("cause")).toMatchObject({
    status: "queued",
    task_id: task,
    first_seen_at: first.at,
    page_count: 2,
  });
  expect(await only("a")).toMatchObject({ status: "fixed" });
  const third = await runOver(db, {
    observations: [observation("cause", { formerly: ["a", "b"] })],
  });
  expect(third).toMatchObject({ newFindings: 0, fixedFindings: 0, reopenedFindings: 0 });
  expect(await only("cause")).toMatchObject({ page_count: 1, first_seen_at: first.at });
});

test("a later run's details of a finding replace the earlier ones", async () => {
  await runOver(db, {
    observations: [
      observation("one", { severity: "warning", confidence: "likely", scope: "external" }),
    ],
  });
  await runOver(db, {
    observations: [
      observation("one", { scope: "external", message: "It is gone.", pages: ["/", "/a/"] }),
    ],
  });
  expect(await only()).toMatchObject({
    severity: "error",
    confidence: "confirmed",
    message: "It is gone.",
    page_count: 2,
    occurrence_count: 2,
  });
});

interface Case {
  name: string;
  finding?: Parameters<typeof observation>[1];
  second: Partial<EngineResult>;
  status: "open" | "fixed";
  /** Whether the second run counts as having seen it. */
  counted?: boolean;
}

const cases: Case[] = [
  { name: "the page was visited", second: {}, status: "fixed" },
  { name: "its page was not reached", second: { visited: ["/a/"] }, status: "open" },
  {
    name: "one of its pages was not reached",
    finding: { pages: ["/", "/b/"] },
    second: {},
    status: "open",
  },
  {
    name: "its check was not made",
    second: {
      skippedChecks: [{ what: "Links", why: "no time", checks: ["link.internal-broken"] }],
    },
    status: "open",
  },
  {
    name: "the check of many rules that it is of was not made",
    finding: { check: "a11y.axe.image-alt", scope: "browser" },
    second: { skippedChecks: [{ what: "axe", why: "it broke", checks: ["a11y.axe"] }] },
    status: "open",
  },
  {
    name: "another check was not made",
    second: { skippedChecks: [{ what: "Links", why: "no time", checks: ["link.internal"] }] },
    status: "fixed",
  },
  {
    name: "its check was not asked, as nothing has changed",
    second: { unchangedChecks: ["link.internal-broken"] },
    status: "open",
    counted: true,
  },
  {
    name: "it is on more pages than are listed, and the limits cut the run",
    finding: { pages: Array.from({ length: 60 }, (_, n) => `/${n}/`) },
    second: { visited: Array.from({ length: 50 }, (_, n) => `/${n}/`), isComplete: false },
    status: "open",
  },
  {
    name: "it is on more pages than are listed, and all were looked at",
    finding: { pages: Array.from({ length: 60 }, (_, n) => `/${n}/`) },
    second: { visited: Array.from({ length: 60 }, (_, n) => `/${n}/`) },
    status: "fixed",
  },
  {
    name: "of the whole site, which the limits cut",
    finding: { scope: "site" },
    second: { isComplete: false },
    status: "open",
  },
  { name: "of the whole site", finding: { scope: "site" }, second: {}, status: "fixed" },
  {
    name: "of the site on a page that was not reached",
    finding: { scope: "site", page: "/a/" },
    second: { visited: ["/"] },
    status: "open",
  },
  {
    name: "of a file that nobody visits, such as robots.txt",
    finding: { scope: "site", page: "/robots.txt" },
    second: {},
    status: "fixed",
  },
  {
    name: "of a file that nobody visits, and the limits cut the run",
    finding: { scope: "site", page: "/robots.txt" },
    second: {
      isComplete: false,
      cache: { site: null, resources: [resource("/robots.txt", { kind: "asset" })], externals: [] },
    },
    status: "open",
  },
  {
    name: "of a door that was tried again",
    finding: { scope: "probe", page: "/api/health" },
    second: { isUnchanged: true },
    status: "fixed",
  },
  {
    name: "of a page's markup, and nothing has changed",
    second: { isUnchanged: true },
    status: "open",
    counted: true,
  },
  {
    name: "of the whole site, and nothing has changed",
    finding: { scope: "site", page: "/robots.txt" },
    second: { isUnchanged: true },
    status: "open",
    counted: true,
  },
  {
    name: "of an address of others that was not asked",
    finding: { scope: "external", target: "https://other.example/x#part" },
    second: { uncheckedExternals: ["https://other.example/x"] },
    status: "open",
  },
  {
    name: "of an address of others that was asked, while nothing of the site has changed",
    finding: { scope: "external", target: "https://other.example/x" },
    second: { isUnchanged: true },
    status: "fixed",
  },
  {
    name: "in a browser that looked again",
    finding: { scope: "browser" },
    second: {},
    status: "fixed",
  },
  {
    name: "in a browser that did not look, as the page has not changed",
    finding: { scope: "browser" },
    second: { browserVisited: ["/a/"], unchangedBrowserPages: ["/"] },
    status: "open",
    counted: true,
  },
  {
    name: "in a browser that did not look",
    finding: { scope: "browser" },
    second: { browserVisited: ["/a/"] },
    status: "open",
  },
  {
    name: "in a browser that looked at one page of two",
    finding: { scope: "browser", pages: ["/", "/a/"] },
    second: { browserVisited: ["/"], unchangedBrowserPages: [] },
    status: "open",
  },
];

describe("a finding that a QA run doesn't see is fixed only if the run could have seen it", () => {
  test.each(cases)("$name: $status", async ({ finding, second, status, counted = false }) => {
    const visited = ["/", "/a/", "/b/", ...(finding?.pages ?? [])];
    const before = await runOver(db, { observations: [observation("one", finding)], visited });
    const after = await runOver(db, second);
    expect(await only()).toMatchObject({
      status,
      seen_count: counted ? 2 : 1,
      last_seen_at: counted ? after.at : before.at,
      fixed_at: status === "fixed" ? after.at : null,
    });
    expect(after.fixedFindings).toBe(status === "fixed" ? 1 : 0);
    expect(after.counts.error).toBe(status === "fixed" ? 0 : 1);
  });
});

test("findings on an unreached page stay, next to what is seen now", async () => {
  await runOver(db, {
    observations: [observation("one", { pages: ["/", "/b/"] })],
    visited: ["/", "/b/"],
  });
  await runOver(db, { observations: [observation("one", { pages: ["/"] })], visited: ["/"] });
  expect(await only()).toMatchObject({ page_count: 2, occurrence_count: 2 });
  // The page that was reached is all right, the other was not reached again.
  await runOver(db, { visited: ["/"] });
  expect(await only()).toMatchObject({ status: "open" });
  await runOver(db, { visited: ["/", "/b/"] });
  expect(await only()).toMatchObject({ status: "fixed" });
});

test("a finding keeps its page as long as it occurs there", async () => {
  await runOver(db, { observations: [observation("one", { pages: ["/a/", "/"] })] });
  await runOver(db, { observations: [observation("one", { pages: ["/", "/a/"] })] });
  expect(await only()).toMatchObject({ page_url: "/a/" });
});

test("a removed page closes its findings; a page that can't be reached doesn't", async () => {
  const visited = ["/", "/old é/", "/slow/", "/404/"];
  const all = ["/", "/old%20%C3%A9/", "/slow/", "/404/"].map((path) => resource(path));
  const known = (resources: typeof all) => ({ site: null, resources, externals: [] });
  await runOver(db, {
    visited,
    cache: known(all),
    observations: [
      observation("old", { page: "/old é/" }),
      observation("slow", { page: "/slow/" }),
      observation("404", { page: "/404/", scope: "browser" }),
      observation("both", { pages: ["/old é/", "/"] }),
    ],
  });
  const later = [
    resource("/"),
    resource("/slow/", { status: null }),
    resource("/404/", { status: 404, kind: "asset" }),
  ];
  // Cut by its limits, a QA run can tell of what it has met, and of nothing else.
  await runOver(db, { visited: ["/"], cache: known(later), isComplete: false });
  expect(await states(db)).toEqual({ old: "open", slow: "open", "404": "fixed", both: "open" });
  const home = { visited: ["/"], observations: [observation("both", { pages: ["/"] })] };
  await runOver(db, { ...home, cache: known(later) });
  expect(await states(db)).toMatchObject({ old: "open", slow: "open" });
  // What one run has not met may have been missed; the next knows, also when nothing has changed.
  await runOver(db, { ...home, isUnchanged: true, cache: known(later) });
  expect(await states(db)).toEqual({ old: "fixed", slow: "open", "404": "fixed", both: "open" });
  expect(await only("both")).toMatchObject({ page_count: 1, page_url: "/" });
});

test("if the site can't be read, no finding is closed", async () => {
  await runOver(db, {
    observations: [observation("one"), observation("file", { scope: "site", page: "/robots.txt" })],
    cache: { site: null, resources: [resource("/")], externals: [] },
  });
  const down = resource("/", { kind: "asset", status: 503 });
  for (let n = 0; n < 3; n += 1) {
    const known = { site: null, resources: [down], externals: [] };
    expect(await runOver(db, { visited: [], cache: known })).toMatchObject({ fixedFindings: 0 });
  }
  expect(await states(db)).toEqual({ one: "open", file: "open" });
});

test("a finding waits for its task and is open again if it still occurs after that is published", async () => {
  await runOver(db, { observations: [observation("one"), observation("two")] });
  const waiting = await addTaskRow(db, "queued");
  const { id } = await only();
  expect(await queueFinding(db, id, { taskId: waiting.id, instruction: "Mend it." })).toBe(true);
  expect(await queueFinding(db, id, { taskId: waiting.id, instruction: null })).toBe(false);
  const during = await runOver(db, { observations: [observation("one"), observation("two")] });
  expect(during).toMatchObject({ reopenedFindings: 0, counts: { error: 1 } });
  expect(await only()).toMatchObject({ status: "queued", seen_count: 2 });
  const finished = "2026-01-01T00:00:00.000Z";
  await tables(db)
    .updateTable("task")
    .set({ status: "published", finished_at: finished })
    .execute();
  const after = await runOver(db, { observations: [observation("one"), observation("two")] });
  expect(after).toMatchObject({ reopenedFindings: 1, newFindings: 0, counts: { error: 2 } });
  const row = { status: "open", task_id: waiting.id, instruction: "Mend it." };
  expect(await only()).toMatchObject(row);
});

test("a finding whose task has fixed it is fixed", async () => {
  await runOver(db, { observations: [observation("one")] });
  const task = await addTaskRow(db, "published", { finished_at: "2026-01-01T00:00:00.000Z" });
  await queueFinding(db, (await only()).id, { taskId: task.id, instruction: null });
  expect(await runOver(db, {})).toMatchObject({ fixedFindings: 1 });
  expect(await only()).toMatchObject({ status: "fixed", task_id: task.id });
});

test("texts that databases can't store are kept as far as possible", async () => {
  const odd = observation("one", {
    page: "/a\0b/\uD800",
    message: `NUL \0 and half \uDC00 ${"long ".repeat(500)}`,
    target: "\0",
    evidence: { html: "\0\uD800", huge: "x".repeat(200_000) },
  });
  await runOver(db, { observations: [odd], visited: [odd.page] });
  const row = await only();
  expect(row.page_url).toBe("/ab/\uFFFD");
  expect(row.message).toHaveLength(1000);
  expect(JSON.parse(row.evidence)).toEqual({ omitted: "It was too long to be kept." });
  await runOver(db, { visited: [odd.page] });
  expect(await only()).toMatchObject({ status: "fixed" });
});

test("a defect reported twice by an engine is one finding", async () => {
  const sum = await runOver(db, {
    observations: [observation("one", { page: "/" }), observation("one", { page: "/a/" })],
  });
  expect(sum).toMatchObject({ newFindings: 1, counts: { error: 1 } });
  expect(await only()).toMatchObject({ occurrence_count: 2 });
});

test("5,000 findings are reconciled with 5,000 in linear time", async () => {
  const pages = Array.from({ length: 500 }, (_, n) => `/${n}/`);
  const many = (severity: "error" | "warning") =>
    Array.from({ length: 5000 }, (_, n) =>
      observation(`f${n}`, {
        severity,
        page: pages[n % 500] ?? "/",
        message: `Word ${n} ${severity}`,
      }),
    );
  /** In ms of this process's own work: others use the machine as well. */
  const timed = async (reply: Partial<EngineResult>) => {
    const started = process.cpuUsage();
    await runOver(db, { visited: pages, ...reply });
    const { user, system } = process.cpuUsage(started);
    return (user + system) / 1000;
  };
  const took = {
    fresh: await timed({ observations: many("error") }),
    same: await timed({ observations: many("error") }),
    changed: await timed({ observations: many("warning") }),
    unchanged: await timed({ isUnchanged: true }),
    fixed: await timed({}),
    reopened: await timed({ observations: many("warning") }),
  };
  expect(Object.entries(took).filter(([, ms]) => ms > 1000)).toEqual([]);
});

test("a child process's results for a QA run that has ended change nothing", async () => {
  const row = await insertRun(db, { trigger: "manual", runnerId: "r", by: "" });
  await tables(db)
    .withTables<{ qa_run: { status: string } }>()
    .updateTable("qa_run")
    .set({ status: "aborted" })
    .execute();
  const { finishRun } = await import("../runs/finish-run.ts");
  const late = result({
    observations: [observation("one")],
    cache: { site: { engine: "e", key: "k" }, resources: [resource("/")], externals: [] },
  });
  const at = "2026-01-01T00:00:00.000Z";
  expect(await finishRun(db, { runId: row?.id ?? 0, result: late, at, keep: 50 })).toBeNull();
  expect(await states(db)).toEqual({});
  expect(await findRun(db, row?.id ?? 0)).toMatchObject({ status: "aborted", pages: 0 });
});
