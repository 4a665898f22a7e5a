import { sql } from "kysely";
import pino from "pino";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { createApiToken } from "../../packages/server/src/features/admin-auth/api-tokens.ts";
import { registerAdminAuth } from "../../packages/server/src/features/admin-auth/api.ts";
import { makeAdminGuard } from "../../packages/server/src/features/admin-auth/guard.ts";
import { isSessionAlive } from "../../packages/server/src/features/admin-auth/sessions.ts";
import { registerQa } from "../../packages/server/src/features/qa/api.ts";
import { type PageReport, toFinding } from "../../packages/qa/src/check.ts";
import type { Evidence, Severity } from "../../packages/qa/src/finding.ts";
import { entryOf } from "../../packages/qa/src/checks/catalog.ts";
import type { Engine, EngineResult, Observation } from "../../packages/qa/src/engine/job.ts";
import { makeObservations } from "../../packages/qa/src/engine/observations.ts";
import { makeQaRuns, type QaRuns } from "../../packages/server/src/features/qa/runs/qa-runs.ts";
import type { FixModel } from "../../packages/server/src/features/qa/fix/fix-method.ts";
import { exactRepair } from "../../packages/server/src/features/qa/fix/repair.ts";
import type { Assess } from "../../packages/server/src/features/qa/source/assess.ts";
import type { GroupBySource } from "../../packages/server/src/features/qa/source/group-by-source.ts";
import { findRun, type QaRunRow } from "../../packages/server/src/features/qa/runs/store.ts";
import { registerQaRunner } from "../../packages/server/src/features/qa/runner.ts";
import type { FindingRecord, QaRunTrigger } from "../../packages/server/src/features/qa/schema.ts";
import {
  claimNext,
  endClaim,
  type TaskEnd,
} from "../../packages/server/src/features/tasks/queue/claim.ts";
import { isoTime } from "../../packages/server/src/kit/time.ts";
import { defaultLimits } from "../../packages/server/src/platform/config.ts";
import type { Db, Dialect } from "../../packages/server/src/platform/db/connect.ts";
import { migrate } from "../../packages/server/src/platform/db/migrate.ts";
import { makeClientOf } from "../../packages/server/src/platform/http/client-address.ts";
import {
  type AppServer,
  createHttpServer,
} from "../../packages/server/src/platform/http/server.ts";
import { adminCookie, anotherCookie, type Ask, makeAsk } from "./admin-session.ts";
import { type FakeClock, fakeClock } from "./clock.ts";
import { type DatabaseMaker, startDialect } from "./postgres.ts";

export interface QaApp extends AsyncDisposable {
  db: Db;
  clock: FakeClock;
  runs: QaRuns;
  /** Where the web process and the runner listen. */
  url: string;
  runnerUrl: string;
  session: Record<string, string>;
  wakeCount: { times: number; error?: Error };
  runners: number;
  nextAt: string | null;
  /** What the model in use can do; one that can do everything unless told. */
  model: FixModel;
  /** Looks into how findings could be fixed; unless told, whatever is exact can be carried out. */
  assess: Assess;
  /** Combines what a run finds; nothing unless told. */
  groupBySource: GroupBySource;
  /** Signs in once more; gives what to ask with and what signs out again. */
  signIn(): Promise<{ session: Record<string, string>; signOut(): Promise<void> }>;
  /** What follows each run. */
  afterRun: (runId: number) => Promise<void>;
  clear(): Promise<void>;
  /** Asks /api/adminqa as the signed-in admin, or with these headers instead. */
  ask: Ask;
  /** The same at the runner's /devconsole/qa. */
  askRunner: Ask;
  token(name: string, scopes: string[]): Promise<Record<string, string>>;
  /** The next runs look in this way. */
  use(look: Engine): void;
  /** A QA run that sees these, to its end and all that follows; gives its row. */
  see(found: readonly Observation[], result?: Partial<EngineResult>): Promise<QaRunRow>;
  /** The only finding that there is. */
  finding(): Promise<FindingRecord>;
  findings(query?: string): Promise<FindingRecord[]>;
  /** Takes up the next task and ends it in this way; gives its id. */
  endTask(ending: TaskEnd): Promise<number>;
}

const ableModel: FixModel = { canBuild: true, canSee: true };

/** As if all that is exact could be carried out, in a file. */
export const assessTrustingly: Assess = async (rows) =>
  new Map(
    rows.map((row) => {
      const source = { kind: "file", file: "app/src/pages/about.astro", line: 3 } as const;
      return [row.id, { source, repair: exactRepair(row, null) }];
    }),
  );

const asFound: GroupBySource = async (found) => [...found];

/** A defect as the engine tells it. */
export function observed(
  check: string,
  page: string,
  seen: Partial<PageReport> & { evidence?: Evidence; severity?: Severity } = {},
): Observation {
  const entry = entryOf(check);
  const severity = entry?.severity === "by impact" ? "error" : (entry?.severity ?? "error");
  const observations = makeObservations();
  const kind = { id: check, category: entry?.category ?? "pages", severity };
  const message = `Something is wrong with ${page}.`;
  const finding = toFinding(kind, page, { message, at: "main p", ...seen });
  observations.add(finding, { scope: "page", engine: "Vitrine/1" });
  const [observation] = observations.all();
  if (!observation) throw new Error("An observation is lost.");
  return observation;
}

/** What an engine answers that has looked at the pages of what it found, and at these. */
export function resultOf(
  found: readonly Observation[],
  more: Partial<EngineResult> = {},
): EngineResult {
  const visited = found.flatMap(({ occurrences }) => occurrences.map(({ page }) => page));
  return {
    observations: [...found],
    isUnchanged: false,
    unchangedBrowserPages: [],
    browserVisited: [],
    uncheckedExternals: [],
    unchangedChecks: [],
    skippedChecks: [],
    isComplete: true,
    cache: { site: null, resources: [], externals: [] },
    stats: { pages: 3, links: 12, browserPages: 0, ms: 1500 },
    ...more,
    visited: [...new Set(["/", "/about/", ...visited, ...(more.visited ?? [])])],
  };
}

function openServer(): AppServer {
  const log = pino({ level: "silent" });
  return createHttpServer({ log, name: "test", secure: false });
}

/** The findings' API and the runner's runs over a new database of the maker's. */
export async function startQaApp(maker: DatabaseMaker): Promise<QaApp> {
  const { database } = await maker.make();
  const { db } = database;
  const clock = fakeClock(Date.now());
  await migrate({ database, now: clock.now() });
  // Tests let hours pass, and stay signed in.
  const still = fakeClock(clock.now());
  const site = { baseUrl: "http://localhost:3000", limits: defaultLimits };
  const guard = makeAdminGuard({ db, clock: still, config: site });
  let look: Engine = async () => resultOf([]);
  const runs = makeQaRuns({
    db,
    clock,
    log: pino({ level: "silent" }),
    runnerId: "runner",
    isGone: async () => false,
    engine: (job, watch) => look(job, watch),
    job: async () => ({
      engine: "Vitrine/1",
      url: "http://localhost:3000/",
      connect: null,
      limits: defaultLimits.qa,
      browser: "off",
      external: "none",
      full: false,
      own: null,
    }),
    countMessages: async () => null,
    groupBySource: (found) => app.groupBySource(found),
    afterRun: (runId) => app.afterRun(runId),
    summarize: async () => {},
    seconds: 60,
    keep: 50,
    pollMs: 10,
  });
  const web = openServer();
  registerQa(web, {
    guard,
    db,
    clock,
    assess: (rows) => app.assess(rows),
    model: async () => app.model,
    ownerName: "Ada",
    maxAttempts: 3,
    wake() {
      app.wakeCount.times += 1;
      if (app.wakeCount.error) throw app.wakeCount.error;
    },
    runners: async () => app.runners,
    schedule: { minutes: 60, autofix: true, nextAt: async () => app.nextAt },
    site: { baseUrl: "http://localhost:3000", version: "1.2.3" },
  });
  const clientOf = makeClientOf({ trustedIps: [], trustProxy: [] });
  registerAdminAuth(web, { db, clock: still, config: site, guard, clientOf });
  const runner = openServer();
  runner.addHook("onRequest", guard.requireSession());
  registerQaRunner(runner, {
    db,
    clock,
    qaRuns: runs,
    ownerName: "Ada",
    isSessionAlive: (idHash) => isSessionAlive(db, still, idHash),
    tickMs: 5,
  });
  const host = "127.0.0.1";
  const [url, runnerUrl] = [
    await web.listen({ host, port: 0 }),
    await runner.listen({ host, port: 0 }),
  ];
  const cookie = await adminCookie(db, still, guard.cookie.name);
  const ask = makeAsk(`${url}/api/adminqa`, cookie);

  const app: QaApp = {
    db,
    clock,
    runs,
    url,
    runnerUrl,
    session: { cookie },
    wakeCount: { times: 0 },
    runners: 1,
    nextAt: null,
    model: ableModel,
    assess: assessTrustingly,
    groupBySource: asFound,
    async signIn() {
      const headers = { cookie: await anotherCookie(db, still, guard.cookie.name) };
      const signOut = async () => {
        const { status } = await makeAsk(url, "")("/api/adminauth/logout", {}, headers);
        if (status !== 200) throw new Error("The admin can't sign out.");
      };
      return { session: headers, signOut };
    },
    afterRun: async () => {},
    async clear() {
      await runs.idle();
      for (const table of ["finding", "finding_ignore", "qa_run", "task", "api_token"]) {
        await sql`delete from ${sql.table(table)}`.execute(db);
      }
      Object.assign(app, { wakeCount: { times: 0 }, runners: 1, nextAt: null });
      Object.assign(app, {
        model: ableModel,
        assess: assessTrustingly,
        groupBySource: asFound,
      });
      app.afterRun = async () => {};
      look = async () => resultOf([]);
    },
    ask,
    askRunner: makeAsk(`${runnerUrl}/devconsole/qa`, cookie),
    async token(name, scopes) {
      const { token } = await createApiToken({ db, clock: still, name, scopes });
      return { authorization: `Bearer ${token}` };
    },
    use: (given) => void (look = given),
    async see(found, result) {
      look = async () => resultOf(found, result);
      const { id } = await runs.start("manual" satisfies QaRunTrigger, "Ada");
      await runs.idle();
      const row = await findRun(db, id);
      if (row?.status !== "finished") throw new Error(`The run is ${row?.status}: ${row?.error}`);
      return row;
    },
    async findings(query = "") {
      const { data } = await ask<{ items: FindingRecord[] }>(`/findings?perPage=100${query}`);
      return data.items;
    },
    async finding() {
      const [only, ...others] = await app.findings();
      if (!only || others.length > 0) throw new Error("There is not one finding.");
      return only;
    },
    async endTask(ending) {
      const claim = await claimNext(db, { worker: "worker", leaseMs: 60_000 });
      if (!claim) throw new Error("Nothing is due.");
      await endClaim(db, claim, ending, isoTime(clock.now()));
      return claim.taskId;
    },
    async [Symbol.asyncDispose]() {
      await runs.close();
      await web.close();
      await runner.close();
    },
  };
  return app;
}

/** Gives each test of a file the findings' API on one database, as if nothing had been found. */
export function useQaApp(dialect: Dialect, give: (app: QaApp) => void): void {
  let maker: DatabaseMaker;
  let app: QaApp;
  beforeAll(async () => {
    maker = await startDialect(dialect);
    app = await startQaApp(maker);
    give(app);
  });
  afterAll(async () => {
    await app?.[Symbol.asyncDispose]();
    await maker?.close();
  });
  beforeEach(() => app.clear());
}
