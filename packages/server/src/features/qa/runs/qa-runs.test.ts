import type { KyselyPlugin } from "kysely";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fakeClock } from "../../../../../../test/support/clock.ts";
import { makeTestDatabase, type TestDatabase } from "../../../../../../test/support/database.ts";
import { eventually } from "../../../../../../test/support/eventually.ts";
import {
  clearQa,
  resource,
  result,
  observation,
  states,
} from "../../../../../../test/support/qa-result.ts";
import { AppError } from "../../../kit/errors.ts";
import { type Database, type Db, openDatabase } from "../../../platform/db/connect.ts";
import { createLog } from "../../../platform/log.ts";
import type { EngineJob, EngineResult, EngineWatch } from "vitrine-qa/src/engine/job.ts";
import { countFindings } from "../findings/list-store.ts";
import { finishExternalRun, startExternalRun } from "./external-run.ts";
import { makeQaRuns, type QaRuns } from "./qa-runs.ts";
import {
  listRuns,
  findLatestFinishedRun,
  findRun,
  findRunningRun,
  listFinishedRuns,
} from "./store.ts";
import type { QaRunsDependencies } from "./execute-run.ts";

let made: TestDatabase;
let db: Db;
let all: QaRuns[] = [];
let gone: Set<string>;
let reported: string[];
beforeEach(async () => {
  made = await makeTestDatabase();
  db = made.database.db;
  gone = new Set();
  reported = [];
});
afterEach(async () => {
  await Promise.all(all.map((runs) => runs.close()));
  all = [];
  await made.cleanup();
});

const job = { engine: "e", url: "https://site.example/", browser: "off" } as unknown as EngineJob;

/** A runner with this engine. */
function runner(
  engine: QaRunsDependencies["engine"],
  { runnerId = "one", ...given }: Partial<QaRunsDependencies> = {},
): QaRuns {
  const runs = makeQaRuns({
    db,
    clock: fakeClock(),
    log: createLog({ level: "silent", name: "test" }),
    runnerId,
    isGone: async (id) => gone.has(id),
    engine,
    job: async () => job,
    countMessages: async () => 7,
    groupBySource: async (observations) => [...observations],
    afterRun: async (id) => void reported.push(`after ${id}`),
    summarize: async (id) => void reported.push(`sum ${id}`),
    seconds: 60,
    keep: 50,
    pollMs: 5,
    ...given,
  });
  all.push(runs);
  return runs;
}

/** An engine that works until it is told how it ends. */
function pendingWork() {
  const started = Promise.withResolvers<{ job: EngineJob; watch: EngineWatch }>();
  const ended = Promise.withResolvers<EngineResult>();
  return {
    begun: started.promise,
    ...ended,
    engine: (given: EngineJob, watch: EngineWatch) => {
      started.resolve({ job: given, watch });
      return ended.promise;
    },
  };
}

const never = () => new Promise<never>(() => {});

test("a QA run goes from running to finished, followed by its follow-up work", async () => {
  const { engine, begun: started, resolve } = pendingWork();
  const runs = runner(engine);
  const row = await runs.start("manual", "Owner");
  expect(row).toMatchObject({
    status: "running",
    trigger_kind: "manual",
    requested_by: "Owner",
    runner_id: "one",
    finished_at: null,
  });
  const { job: given, watch } = await started;
  expect(given).toMatchObject({
    url: "https://site.example/",
    cache: { site: null, resources: [], externals: [] },
    now: "2026-01-15T12:00:00.000Z",
  });
  expect(await watch.countMessages()).toBe(7);
  const progress = { step: "crawling", done: 3, total: null, at: "/a/", findings: 1 } as const;
  watch.progress(progress);
  await eventually(async () => {
    expect((await findRunningRun(db))?.progress).toBe(JSON.stringify(progress));
  });
  expect(reported).toEqual([]);
  resolve(
    result({
      observations: [
        observation("one"),
        observation("two", { severity: "notice", confidence: "review" }),
      ],
      skippedChecks: [{ what: "Contrast", why: "no browser", checks: ["a11y.contrast"] }],
      cache: { site: { engine: "e", key: "k" }, resources: [resource("/")], externals: [] },
      stats: { pages: 2, links: 31, browserPages: 1, ms: 9 },
    }),
  );
  await runs.idle();
  const finished = await findLatestFinishedRun(db);
  expect(finished).toMatchObject({
    id: row.id,
    status: "finished",
    progress: null,
    pages: 2,
    links: 31,
    browser_pages: 1,
    is_unchanged: 0,
    new_findings: 2,
    fixed_findings: 0,
    counts: '{"error":1,"warning":0,"notice":1}',
    skipped_checks: '[{"what":"Contrast","why":"no browser"}]',
    error: null,
    summary: null,
  });
  expect((finished?.finished_at ?? "") >= row.started_at).toBe(true);
  expect(reported).toEqual([`after ${row.id}`, `sum ${row.id}`]);
  // The next one knows what this one has learnt.
  const next = pendingWork();
  await runner(next.engine).start("task", "QA");
  expect((await next.begun).job.cache).toEqual({
    site: { engine: "e", key: "k" },
    resources: [resource("/")],
    externals: [],
  });
});

test("only one run is active across all runners", async () => {
  const { engine, resolve } = pendingWork();
  const one = runner(engine);
  const two = runner(async () => result(), { runnerId: "two" });
  const started = await Promise.allSettled([
    one.start("manual", "Owner"),
    two.start("heartbeat", ""),
  ]);
  expect(started).toMatchObject([
    { status: "fulfilled" },
    {
      status: "rejected",
      reason: { code: "invalid_state", details: { runId: (await findRunningRun(db))?.id } },
    },
  ]);
  expect((await listRuns(db, { page: 1, perPage: 10 })).total).toBe(1);
  resolve(result());
  await one.idle();
  await two.start("heartbeat", "");
  await two.idle();
  const list = await listRuns(db, { page: 1, perPage: 1, status: "finished" });
  expect(list).toMatchObject({ total: 2, rows: [{ trigger_kind: "heartbeat", runner_id: "two" }] });
  expect((await listRuns(db, { page: 1, perPage: 9, trigger: "manual" })).total).toBe(1);
  expect((await listFinishedRuns(db)).map(({ counts }) => JSON.parse(counts))).toHaveLength(2);
});

test("if the engine fails, the run fails with the reason, and findings stay unchanged", async () => {
  await runner(async () => result({ observations: [observation("one")] })).start("manual", "Owner");
  await all[0]?.idle();
  const failing = runner(async () => {
    throw new AppError("upstream_failed", "The site does not answer.\n");
  });
  const { id } = await failing.start("manual", "Owner");
  await failing.idle();
  expect(await findRun(db, id)).toMatchObject({
    status: "failed",
    error: "The site does not answer.",
    progress: null,
    counts: '{"error":0,"warning":0,"notice":0}',
  });
  expect(await states(db)).toEqual({ one: "open" });
  expect(reported).not.toContain(`sum ${id}`);
});

test("a run without a site to check fails, too", async () => {
  const runs = runner(never, {
    job: async () => {
      throw new Error("no address");
    },
  });
  const { id } = await runs.start("manual", "Owner");
  await runs.idle();
  expect(await findRun(db, id)).toMatchObject({ status: "failed", error: "no address" });
});

test("a QA run that takes too long is ended", async () => {
  const runs = runner(never, { seconds: -59.98 });
  const { id } = await runs.start("manual", "Owner");
  await runs.idle();
  expect(await findRun(db, id)).toMatchObject({ status: "failed" });
});

describe("a QA run is stopped", () => {
  test.each(["its own", "another"])("by %s runner", async (whose) => {
    const { engine, begun: started, resolve } = pendingWork();
    const one = runner(engine);
    const two = runner(never, { runnerId: "two" });
    const { id } = await one.start("manual", "Owner");
    const { watch } = await started;
    expect(await (whose === "another" ? two : one).stop(id)).toBe(true);
    await one.idle();
    expect(watch.signal.aborted).toBe(true);
    expect(await findRun(db, id)).toMatchObject({ status: "aborted", error: "It was stopped." });
    // What the engine says all the same comes too late.
    resolve(result({ observations: [observation("one")] }));
    await one.idle();
    expect(await states(db)).toEqual({});
    expect(reported).toEqual([]);
    expect(await one.stop(id)).toBe(false);
  });

  test("even if its runner is gone, or it belongs to an external program", async () => {
    const dead = runner(never, { runnerId: "dead", pollMs: 60_000 });
    const runs = runner(async () => result());
    const { id } = await dead.start("manual", "Owner");
    gone.add("dead");
    expect(await runs.stop(id)).toBe(true);
    expect(await findRun(db, id)).toMatchObject({ status: "aborted" });
    const external = await startExternalRun(db, "crawler");
    expect(await runs.stop(external.id)).toBe(true);
    expect(await findRun(db, external.id)).toMatchObject({ status: "aborted" });
  });
});

test("a runner that ends aborts its run and starts no other", async () => {
  const { engine, begun: started } = pendingWork();
  const runs = runner(engine);
  const { id } = await runs.start("manual", "Owner");
  await started;
  await runs.close();
  expect(await findRun(db, id)).toMatchObject({
    status: "aborted",
    error: "The runner was shut down.",
  });
  await expect(runs.start("manual", "Owner")).rejects.toMatchObject({ code: "unavailable" });
});

test("a run doesn't wait for its follow-up work, whose failure has no effect on it", async () => {
  const words = Promise.withResolvers<void>();
  const runs = runner(async () => result(), {
    afterRun: async () => {
      throw new Error("no repairs");
    },
    summarize: () => words.promise,
  });
  const { id } = await runs.start("manual", "Owner");
  await eventually(async () => expect(await findRun(db, id)).toMatchObject({ status: "finished" }));
  // Another one may begin while the writer still writes.
  await eventually(() => runs.start("manual", "Owner"));
  words.reject(new Error("no words"));
  await runs.idle();
  expect((await listRuns(db, { page: 1, perPage: 9, status: "finished" })).total).toBe(2);
});

describe("an abandoned run", () => {
  test("is aborted if its runner is gone, and not while that is alive", async () => {
    const dead = runner(never, { runnerId: "dead", pollMs: 60_000 });
    const { id } = await dead.start("manual", "Owner");
    const runs = runner(async () => result());
    await dead.recover();
    await runs.recover();
    expect(await findRun(db, id)).toMatchObject({ status: "running" });
    gone.add("dead");
    await runs.recover();
    expect(await findRun(db, id)).toMatchObject({
      status: "aborted",
      error: "Its runner stopped responding.",
    });
    await runs.start("manual", "Owner");
    await runs.idle();
    expect(await findLatestFinishedRun(db)).toMatchObject({ runner_id: "one" });
  });

  test("of a runner that is alive after all has its engine ended, and its result changes nothing", async () => {
    const { engine, begun: started, resolve } = pendingWork();
    const taken = runner(engine, { runnerId: "taken" });
    const { id } = await taken.start("manual", "Owner");
    const { watch } = await started;
    gone.add("taken");
    await runner(never).recover();
    await eventually(() => expect(watch.signal.aborted).toBe(true));
    resolve(result({ observations: [observation("one")] }));
    await taken.idle();
    expect(await findRun(db, id)).toMatchObject({
      status: "aborted",
      error: "Its runner stopped responding.",
    });
    expect(await states(db)).toEqual({});
  });

  test("of an external program is aborted after an hour without a report", async () => {
    const { id } = await startExternalRun(db, "crawler");
    const runs = runner(async () => result());
    await runs.recover();
    expect(await findRun(db, id)).toMatchObject({ status: "running" });
    const wasSeen = async (minutes: number) =>
      db
        .withTables<{ qa_run: { heartbeat_at: string } }>()
        .updateTable("qa_run")
        .set({ heartbeat_at: new Date(Date.now() - minutes * 60_000).toISOString() })
        .execute();
    await wasSeen(59);
    await runs.recover();
    expect(await findRun(db, id)).toMatchObject({ status: "running" });
    await wasSeen(61);
    await runs.recover();
    expect(await findRun(db, id)).toMatchObject({
      status: "aborted",
      error: "It hasn't reported anything for an hour.",
    });
  });
});

describe("a program of the command line", () => {
  const at = "2026-01-05T10:00:00.000Z";
  const finish = (runId: number, observations: EngineResult["observations"]) =>
    finishExternalRun(db, { runId, status: "finished", report: { observations }, at, keep: 50 });

  test("reports its own findings, separate from those of Vitrine's runs", async () => {
    const runs = runner(async () => result({ observations: [observation("ours")] }));
    await runs.start("manual", "Owner");
    await runs.idle();
    const first = await startExternalRun(db, "spell");
    await expect(startExternalRun(db, "other")).rejects.toMatchObject({
      code: "invalid_state",
      details: { runId: first.id },
    });
    await expect(runs.start("manual", "Owner")).rejects.toMatchObject({ code: "invalid_state" });
    expect(await finish(first.id, [observation("word"), observation("gone")])).toMatchObject({
      run: { status: "finished", pages: 1, requested_by: "spell" },
      summary: { newFindings: 2, fixedFindings: 0, counts: { error: 3 } },
    });
    await runs.start("manual", "Owner");
    await runs.idle();
    expect(await states(db)).toEqual({ ours: "open", word: "open", gone: "open" });
    const second = await startExternalRun(db, "spell");
    expect((await finish(second.id, [observation("word")])).summary).toMatchObject({
      fixedFindings: 1,
      newFindings: 0,
    });
    const third = await startExternalRun(db, "other");
    expect((await finish(third.id, [])).summary).toMatchObject({ fixedFindings: 0 });
    expect(await states(db)).toEqual({ ours: "open", word: "open", gone: "fixed" });
  });

  test("closes only findings in what it reports as checked", async () => {
    const { id } = await startExternalRun(db, "spell");
    await finish(id, [
      observation("a"),
      observation("b", { page: "/a/" }),
      observation("c", { check: "x.y" }),
    ]);
    const next = await startExternalRun(db, "spell");
    const report = { observations: [], checks: ["link.internal-broken"], pages: ["/"] };
    await finishExternalRun(db, { runId: next.id, status: "finished", report, at, keep: 50 });
    expect(await states(db)).toEqual({ a: "fixed", b: "open", c: "open" });
  });

  test("reports its failure once; it can't report for a runner's run", async () => {
    const { id } = await startExternalRun(db, "spell");
    const end = {
      runId: id,
      status: "failed",
      error: "No network.",
      report: { observations: [] },
    };
    const options = { ...end, status: "failed", at, keep: 50 } as const;
    expect((await finishExternalRun(db, options)).run).toMatchObject({
      status: "failed",
      error: "No network.",
    });
    await expect(finishExternalRun(db, options)).rejects.toMatchObject({
      code: "invalid_state",
      details: { status: "failed" },
    });
    await expect(finishExternalRun(db, { ...options, runId: 999 })).rejects.toMatchObject({
      code: "not_found",
    });
    const runs = runner(never);
    const ours = await runs.start("manual", "Owner");
    await expect(finish(ours.id, [])).rejects.toMatchObject({ code: "invalid_state" });
  });
});

/** A database whose process dies before its nth statement: from then on nothing comes through. */
function dyingAt(base: Db, n: number): { db: Db; count(): number } {
  let count = 0;
  const plugin: KyselyPlugin = {
    transformQuery({ node }) {
      count += 1;
      if (count > n) throw new Error("killed");
      return node;
    },
    transformResult: async ({ result: rows }) => rows,
  };
  return { db: base.withPlugin(plugin), count: () => count };
}

test("if killed at any statement, a QA run is stored completely or not at all, and the next one can start", async () => {
  const observations = [observation("one"), observation("two")];
  const known = { site: { engine: "e", key: "k" }, resources: [resource("/")], externals: [] };
  const opened: Database = openDatabase({ url: null, file: made.file });
  const survivor = runner(async () => result({ observations, cache: known }), {
    runnerId: "survivor",
  });
  let statements = Infinity;
  const ends = new Set<string>();
  for (let n = 0; n <= statements; n += 1) {
    await clearQa(db);
    const killed = dyingAt(opened.db, n);
    const victim = runner(async () => result({ observations, cache: known }), {
      db: killed.db,
      runnerId: "victim",
      pollMs: 60_000,
    });
    await victim.start("manual", "Owner").catch(() => {});
    await victim.idle();
    if (killed.count() <= n) statements = n;
    gone.add("victim");
    await survivor.recover();
    expect(await findRunningRun(db)).toBeNull();
    const { rows } = await listRuns(db, { page: 1, perPage: 5 });
    const status = rows[0]?.status ?? "none";
    ends.add(status);
    const { open } = await countFindings(db);
    expect([n, status, open.error]).toEqual([n, status, status === "finished" ? 2 : 0]);
    const { id } = await survivor.start("manual", "Owner");
    await survivor.idle();
    expect(await findRun(db, id)).toMatchObject({
      status: "finished",
      counts: '{"error":2,"warning":0,"notice":0}',
    });
  }
  expect(ends).toEqual(new Set(["none", "aborted", "finished"]));
  expect(statements).toBeGreaterThan(15);
  await opened.close();
}, 60_000);
