import { Kysely } from "kysely";
import { afterAll, beforeAll, expect, test, describe } from "vitest";
import { fakeClock } from "../../../../../../test/support/clock.ts";
import {
  type DatabaseMaker,
  dialects,
  startDialect,
} from "../../../../../../test/support/postgres.ts";
import {
  runOver,
  resource,
  result,
  observation,
  states,
} from "../../../../../../test/support/qa-result.ts";
import { addTaskRow } from "../../../../../../test/support/queue-tasks.ts";
import { type Db, openDatabase } from "../../../platform/db/connect.ts";
import { migrate } from "../../../platform/db/migrate.ts";
import { sqliteDialect } from "../../../platform/db/sqlite.ts";
import { createLog } from "../../../platform/log.ts";
import type { EngineJob } from "vitrine-qa/src/engine/job.ts";
import { ignoreFinding, reopenFinding, ignoreAllOpen, unignore } from "../findings/ignore.ts";
import { listIgnores } from "../findings/ignore-store.ts";
import {
  listOpenCategories,
  countFindings,
  listFindingGroups,
  listFindings,
} from "../findings/list-store.ts";
import { queueFinding } from "../findings/store.ts";
import { readSiteCache } from "./site-cache.ts";
import { makeQaRuns } from "./qa-runs.ts";
import { findLastScheduledRun, listRuns, findLatestFinishedRun, findRun } from "./store.ts";

const words = { reason: "So.", until: null, by: "Owner", at: "2026-01-05T10:00:00.000Z" };

describe.each(dialects)("on %s", (dialect) => {
  let maker: DatabaseMaker;
  const opened: Db[] = [];
  beforeAll(async () => {
    maker = await startDialect(dialect);
  });
  afterAll(async () => {
    for (const db of opened) await db.destroy();
    await maker.close();
  });

  /** A connection of a process; while one waits for another, this process must not stand still. */
  function open(address: { url: string | null; file: string }): Db {
    const db: Db =
      dialect === "sqlite"
        ? new Kysely({ dialect: sqliteDialect(address.file, { busyMs: 5 }) })
        : openDatabase(address).db;
    opened.push(db);
    return db;
  }

  async function fresh() {
    const { database, address } = await maker.make();
    await migrate({ database, now: 0 });
    return { db: open(address), address };
  }

  function runner(db: Db, runnerId: string, engine: () => Promise<ReturnType<typeof result>>) {
    return makeQaRuns({
      db,
      runnerId,
      engine,
      clock: fakeClock(),
      log: createLog({ level: "silent", name: "test" }),
      isGone: async () => false,
      job: async () => ({}) as EngineJob,
      countMessages: async () => null,
      groupBySource: async (observations) => [...observations],
      afterRun: async () => {},
      summarize: async () => {},
      seconds: 60,
      keep: 2,
      pollMs: 5,
    });
  }

  test("findings live across runs, with ignores, tasks, lists, and cached data", async () => {
    const { db } = await fresh();
    const known = (paths: string[]) => ({
      site: { engine: "e", key: paths.join() },
      resources: paths.map((path) => resource(path)),
      externals: [],
    });
    const first = [
      observation("stays"),
      observation("goes"),
      observation("page", { page: "/a/" }),
      observation("odd", { message: "NUL \0 \uD800 “%_”", category: "seo", severity: "notice" }),
      observation("out", { scope: "external", target: "https://x.example/" }),
      observation("task", { severity: "warning" }),
    ];
    expect(await runOver(db, { observations: first, cache: known(["/", "/a/"]) })).toMatchObject({
      newFindings: 6,
      counts: { error: 4, warning: 1, notice: 1 },
    });
    const idOf = async (q: string) =>
      (await listFindings(db, { q, page: 1, perPage: 9 })).rows[0]?.id ?? 0;
    const task = await addTaskRow(db, "published", { finished_at: "2026-01-01T00:00:00.000Z" });
    await queueFinding(db, await idOf("/task"), { taskId: task.id, instruction: null });
    expect(await idOf("%_”")).not.toBe(0);
    expect(await ignoreFinding(db, { findingId: await idOf("%_”"), ...words })).toEqual({
      ignored: 1,
    });
    const second = await runOver(db, {
      observations: [
        observation("stays", { message: "Said anew." }),
        observation("task"),
        observation("odd"),
      ],
      uncheckedExternals: ["https://x.example/"],
      visited: ["/"],
      cache: known(["/"]),
    });
    expect(second).toMatchObject({
      newFindings: 0,
      fixedFindings: 1,
      reopenedFindings: 1,
      counts: { error: 4 },
    });
    expect(await states(db)).toEqual({
      stays: "open",
      goes: "fixed",
      page: "open",
      odd: "ignored",
      out: "open",
      task: "open",
    });
    expect((await readSiteCache(db)).resources).toEqual([resource("/")]);
    const rule = { check: "link.internal-broken", pageUrl: null };
    expect(await ignoreFinding(db, { ...rule, ...words })).toEqual({ ignored: 4 });
    expect(await ignoreFinding(db, { ...rule, ...words })).toEqual({ ignored: 4 });
    await reopenFinding(db, { findingId: await idOf("anew") });
    // The page that two runs have not met is gone, with what was ignored on it.
    expect(await runOver(db, { cache: known(["/"]), isUnchanged: true })).toMatchObject({
      counts: { error: 1 },
    });
    expect(await ignoreAllOpen(db, { by: "Owner", at: words.at })).toEqual({ ignored: 1 });
    const [baseline, byRule] = await listIgnores(db);
    expect([baseline?.findings, byRule?.findings]).toEqual([1, 3]);
    expect(await unignore(db, byRule?.id ?? 0)).toEqual({ reopened: 1 });
    expect(await countFindings(db)).toMatchObject({ open: { error: 1 }, ignored: 2, fixed: 3 });
    expect(await listFindingGroups(db, {})).toMatchObject([
      { findings: 6, example: expect.any(String) },
    ]);
    expect(await listOpenCategories(db)).toEqual([{ category: "links", open: 1 }]);
    expect((await findLatestFinishedRun(db))?.counts).toBe('{"error":1,"warning":0,"notice":0}');
  });

  test("a page's findings are found by its exact address, and its rule leaves what spreads", async () => {
    const { db } = await fresh();
    const visited = ["/a/", "/b/"];
    const observations = [
      observation("both", { pages: visited }),
      observation("a", { page: "/a/" }),
    ];
    await runOver(db, { observations, visited });
    const found = async (pageUrl: string) =>
      (await listFindings(db, { pageUrl, page: 1, perPage: 9 })).total;
    expect(await Promise.all(["/a/", "/b/", "/B/", "/_/"].map(found))).toEqual([2, 1, 0, 0]);
    const rule = { check: "link.internal-broken", pageUrl: "/a/" };
    expect(await ignoreFinding(db, { ...rule, ...words })).toEqual({ ignored: 1 });
    const spread = [observation("both", { page: "/a/" }), observation("a", { pages: visited })];
    await runOver(db, { observations: spread, visited });
    expect(await states(db)).toEqual({ both: "ignored", a: "open" });
  });

  test("of two runners, one starts a run and the other stops it; old runs are pruned", async () => {
    const { db, address } = await fresh();
    const other = open(address);
    const one = runner(db, "one", () => new Promise(() => {}));
    const two = runner(other, "two", async () => result({ observations: [observation("one")] }));
    const started = await Promise.allSettled([
      one.start("manual", "Owner"),
      one.start("manual", "Owner"),
      one.start("manual", "Owner"),
    ]);
    expect(started.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    await expect(two.start("heartbeat", "")).rejects.toMatchObject({ code: "invalid_state" });
    const { rows } = await listRuns(db, { page: 1, perPage: 9 });
    const id = rows[0]?.id ?? 0;
    await two.recover();
    expect(await findRun(db, id)).toMatchObject({ status: "running" });
    expect(await two.stop(id)).toBe(true);
    await one.idle();
    expect(await findRun(db, id)).toMatchObject({ status: "aborted" });
    for (let n = 0; n < 3; n += 1) {
      await two.start("heartbeat", "");
      await two.idle();
    }
    expect(await listRuns(db, { page: 1, perPage: 9 })).toMatchObject({
      total: 2,
      rows: [{ status: "finished" }, { status: "finished" }],
    });
    expect(await findLastScheduledRun(db)).toMatchObject({
      runnerId: "two",
      ms: expect.any(Number),
    });
    expect(await states(db)).toEqual({ one: "open" });
  });

  test("findings ignored while a QA run is being stored stay ignored", async () => {
    const { db, address } = await fresh();
    const many = (message: string) =>
      Array.from({ length: 600 }, (_, n) => observation(`f${n}`, { message: `${message} ${n}` }));
    await runOver(db, { observations: many("First") });
    const other = open(address);
    const { rows } = await listFindings(db, { sort: "oldest", page: 1, perPage: 20 });
    const [sum] = await Promise.all([
      runOver(db, { observations: many("Second") }),
      ...rows.map(({ id }) => ignoreFinding(other, { findingId: id, ...words })),
    ]);
    expect(sum).toMatchObject({ newFindings: 0, reopenedFindings: 0 });
    expect(await countFindings(db)).toMatchObject({ open: { error: 580 }, ignored: 20 });
  });
});
