import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { fakeClock } from "../../../../../test/support/clock.ts";
import {
  type DatabaseMaker,
  dialects,
  startDialect,
} from "../../../../../test/support/postgres.ts";
import { addRunRow } from "../../../../../test/support/run-rows.ts";
import { tempFolder } from "../../../../../test/support/temp.ts";
import { isoTime } from "../../kit/time.ts";
import type { Db } from "../../platform/db/connect.ts";
import { migrate } from "../../platform/db/migrate.ts";
import { createLog } from "../../platform/log.ts";
import { insertIntent } from "../release/store.ts";
import { listEventsAfter } from "./event-store.ts";
import { makeRunEvents } from "./events.ts";
import { openRegistry, type Registry } from "./runners/registry.ts";
import { setRunOwner } from "./runners/store.ts";
import type { RunStatus } from "./schema.ts";
import { makeRunRecovery, type RunRecoveryDependencies } from "./recovery.ts";
import { findStatus } from "./store.ts";

const log = createLog({ level: "silent", name: "test" });
const active = ["queued", "running", "building"] as const;

describe.each(dialects)("what runners leave, on %s", (dialect) => {
  let maker: DatabaseMaker;
  let db: Db;
  let deps: RunRecoveryDependencies;
  const isAtWork = (runId: string) => working.has(runId);
  let here: Registry;
  let living: Registry;
  let dead: Registry;
  /** How often the publisher was asked to settle its own. */
  let isFinished: number;
  /** What this process is at. */
  let working: Set<string>;
  const clock = fakeClock();

  beforeAll(async () => {
    maker = await startDialect(dialect);
    const { database } = await maker.make();
    await migrate({ database, now: clock.now() });
    ({ db } = database);
  });
  afterAll(() => maker?.close());
  beforeEach(async () => {
    for (const table of ["publish_intent", "run"] as const) {
      await db.withTables<Record<typeof table, object>>().deleteFrom(table).execute();
    }
    const folder = await tempFolder();
    const open = () => openRegistry({ db, log, dir: join(folder.path, "runners"), port: 1 });
    [here, living, dead] = [await open(), await open(), await open()];
    await dead.close();
    isFinished = 0;
    working = new Set();
    deps = {
      db,
      clock,
      events: makeRunEvents({ db, clock }),
      runnerId: here.id,
      registry: here,
      publisher: {
        async recover() {
          isFinished += 1;
        },
      },
    };
    onTestFinished(async () => {
      await Promise.all([here.close(), living.close()]);
      await folder.remove();
    });
  });

  async function addRun(status: RunStatus, owner: Registry | null): Promise<string> {
    clock.advance(1);
    const id = await addRunRow(db, clock, status);
    if (owner !== null) await setRunOwner(db, id, owner.id);
    return id;
  }

  const addRuns = (owner: Registry | null, statuses: readonly RunStatus[]) =>
    Promise.all(statuses.map((status) => addRun(status, owner)));
  const statusesOf = (ids: string[]) => Promise.all(ids.map((id) => findStatus(db, id)));

  it("is settled at boot, except for what a living runner works on", async () => {
    const statuses = [...active, "publishing", "preview_ready"] as const;
    const retained = await addRuns(living, statuses);
    const lost = [...(await addRuns(dead, active)), ...(await addRuns(null, active))];
    const own = await addRuns(here, active);
    const [publishing = ""] = await addRuns(dead, ["publishing"]);
    await makeRunRecovery(deps, isAtWork).recoverAtStart();
    expect(await statusesOf(retained)).toEqual(statuses);
    expect(new Set(await statusesOf([...lost, ...own]))).toEqual(new Set(["interrupted"]));
    expect(await findStatus(db, publishing)).toBe("preview_ready");
    expect(isFinished).toBe(1);
  });

  it("is settled from time to time, and what this one works on goes on", async () => {
    const recovery = makeRunRecovery(deps, isAtWork);
    const others = await addRuns(living, [...active, "publishing"]);
    const own = await addRuns(here, [...active, "publishing"]);
    working = new Set(own);
    for (let check = 0; check < 3; check += 1) await recovery.recoverAbandoned();
    const retained = await statusesOf([...others, ...own]);
    expect(retained).toEqual([...active, "publishing", ...active, "publishing"]);
    expect(isFinished).toBe(0);
    await living.close();
    await recovery.recoverAbandoned();
    const ended = [...active.map(() => "interrupted"), "preview_ready"];
    expect(await statusesOf(others)).toEqual(ended);
    expect(await statusesOf(own)).toEqual([...active, "publishing"]);
  });

  it("is also what this process has lost sight of, at the second look", async () => {
    const recovery = makeRunRecovery(deps, isAtWork);
    const [started = "", lost = "", publishing = ""] = await addRuns(here, [
      "queued",
      "running",
      "publishing",
    ]);
    await recovery.recoverAbandoned();
    expect(await statusesOf([started, lost, publishing])).toEqual([
      "queued",
      "running",
      "publishing",
    ]);
    working = new Set([started]);
    await recovery.recoverAbandoned();
    expect(await statusesOf([started, lost, publishing])).toEqual([
      "queued",
      "interrupted",
      "preview_ready",
    ]);
  });

  it("is the publisher's to settle where a publish has begun", async () => {
    const [started = "", waiting = ""] = await addRuns(dead, ["publishing", "publishing"]);
    await insertIntent(db, {
      run_id: started,
      state: "open",
      actor: "Editor",
      base_commit: "a",
      workspace_tree: "b",
      artifact: "c",
      change_json: null,
      commit_sha: null,
      release_number: null,
      created_at: isoTime(clock.now()),
      finished_at: null,
    });
    await makeRunRecovery(deps, isAtWork).recoverAbandoned();
    expect(await statusesOf([started, waiting])).toEqual(["publishing", "preview_ready"]);
    expect(isFinished).toBe(1);
  });

  it("is settled once by several that see it at once", async () => {
    const lost = await addRuns(dead, active);
    const finish = () =>
      makeRunRecovery(
        { ...deps, events: makeRunEvents({ db, clock }) },
        isAtWork,
      ).recoverAbandoned();
    await Promise.all([finish(), finish(), finish()]);
    expect(await statusesOf(lost)).toEqual(lost.map(() => "interrupted"));
    for (const id of lost) {
      const finished = (await listEventsAfter(db, id, 0, 100)).filter(
        (e) => e.type === "run.finished",
      );
      expect(finished).toHaveLength(1);
    }
  });
});
