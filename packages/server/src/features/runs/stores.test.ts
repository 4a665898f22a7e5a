import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { fakeClock } from "../../../../../test/support/clock.ts";
import {
  type DatabaseMaker,
  dialects,
  startDialect,
} from "../../../../../test/support/postgres.ts";
import { addRunRow } from "../../../../../test/support/run-rows.ts";
import { cleanReport } from "../../../../../test/support/runs-dependencies.ts";
import { isoTime } from "../../kit/time.ts";
import { type Db, openDatabase } from "../../platform/db/connect.ts";
import { migrate } from "../../platform/db/migrate.ts";
import { insertUse, usesOfRuns } from "../agent/ledger/store.ts";
import { findReleaseCommit } from "../release/store.ts";
import { listCheckReports, saveCheckReport } from "./check-store.ts";
import { deleteConversations, findConversation, saveConversation } from "./conversation-store.ts";
import { listPastRuns } from "./estimate-store.ts";
import { makeRunEvents } from "./events.ts";
import {
  listMessages,
  insertMessage,
  takeWaitingMessages,
  withdrawWaitingMessages,
} from "./message-store.ts";
import { serializeRuns } from "./serialize-run.ts";
import { findActiveSuccessor, findRequest, insertRequest, emptyRequest } from "./request-store.ts";
import type { RunStatus } from "./schema.ts";
import { findRun, lockRun, listRuns, updateRun } from "./store.ts";

describe.each(dialects)("on %s", (dialect) => {
  let maker: DatabaseMaker;
  let made: Awaited<ReturnType<DatabaseMaker["make"]>>;
  let db: Db;
  const clock = fakeClock();
  const at = () => isoTime(clock.now());

  beforeAll(async () => {
    maker = await startDialect(dialect);
  });
  beforeEach(async () => {
    made = await maker.make();
    await migrate({ database: made.database, now: clock.now() });
    db = made.database.db;
  });
  afterAll(() => maker?.close());

  async function addRun(status: RunStatus, origin: string | null = null): Promise<string> {
    clock.advance(1000);
    const id = await addRunRow(db, clock, status);
    const from = origin === null ? null : { runId: origin, kind: "continue" as const };
    await insertRequest(db, id, { ...emptyRequest, origin: from });
    return id;
  }

  const reply = (runId: string, text: string) =>
    insertMessage(db, { runId, text, elements: [], attachments: [] }, at());

  it("hands each message to one of several that ask, also in another process", async () => {
    const runId = await addRun("running");
    for (let count = 0; count < 12; count += 1) await reply(runId, String(count));
    const other = openDatabase(made.address);
    try {
      const lots = await Promise.all(
        [db, other.db, db, other.db].map((from) => takeWaitingMessages(from, runId, at())),
      );
      const texts = lots.flat().map(({ text }) => Number(text));
      expect(texts.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_, n) => n));
    } finally {
      await other.close();
    }
    await reply(runId, "late");
    expect(await withdrawWaitingMessages(db, runId)).toHaveLength(1);
    expect((await listMessages(db, [runId])).get(runId)).toHaveLength(12);
  });

  it("lets no message into a run that another process ends, and leaves none waiting there", async () => {
    const other = openDatabase(made.address);
    // Within one process two connections to a SQLite file can't wait for each other.
    const far = dialect === "sqlite" ? db : other.db;
    const [here, there] = [db, far].map((each) => makeRunEvents({ db: each, clock }));
    try {
      for (let round = 0; round < 6; round += 1) {
        const runId = await addRun("building");
        const speak = here?.record(runId, async (trx) => {
          const open = await lockRun(trx, runId, ["building"]);
          if (open) {
            await insertMessage(trx, { runId, text: "x", elements: [], attachments: [] }, at());
          }
          return { result: open, events: [] };
        });
        const end = there?.transition(runId, ["building"], { status: "preview_ready" });
        expect(await Promise.all([speak, end])).toEqual([expect.any(Boolean), true]);
        expect((await listMessages(db, [runId])).get(runId) ?? []).toEqual([]);
      }
    } finally {
      await other.close();
    }
  });

  it("changes nothing when what goes along with a change of state fails", async () => {
    const events = makeRunEvents({ db, clock });
    const origin = await addRun("interrupted");
    const runId = await addRun("building", origin);
    await reply(runId, "wait");
    const failing = events.transition(
      runId,
      ["building"],
      { status: "preview_ready" },
      [],
      async (trx) => {
        await saveCheckReport(trx, runId, { artifactSha: "a", report: cleanReport, at: at() });
        throw new Error("killed");
      },
    );
    await expect(failing).rejects.toThrow("killed");
    expect((await findRun(db, runId))?.status).toBe("building");
    expect(await listCheckReports(db, [runId])).toEqual(new Map());
    expect(await events.listAfter(runId, 0)).toEqual([]);
    expect((await listMessages(db, [runId])).get(runId)).toMatchObject([{ status: "waiting" }]);
  });

  it("keeps conversations of runs that may go on, for their time", async () => {
    const old = await addRun("interrupted");
    await updateRun(db, old, { finished_at: at() });
    clock.advance(60_000);
    const before = at();
    clock.advance(1000);
    const retained = [await addRun("preview_ready"), await addRun("running")];
    const fresh = await addRun("interrupted");
    await updateRun(db, fresh, { finished_at: at() });
    const over = [await addRun("failed"), await addRun("published"), await addRun("discarded")];
    const all = [old, fresh, ...retained, ...over];
    for (const id of all) await saveConversation(db, id, "first", at());
    for (const id of all) await saveConversation(db, id, "said", at());
    await deleteConversations(db, before);
    const left = await Promise.all(all.map((id) => findConversation(db, id)));
    expect(left).toEqual([null, "said", "said", "said", null, null, null]);
  });

  it("finds what belongs to runs, however many, and who takes one up", async () => {
    const first = await addRun("interrupted");
    const second = await addRun("running", first);
    await reply(second, "more");
    for (const pages of [1, 2]) {
      const report = { ...cleanReport, pages };
      await saveCheckReport(db, second, { artifactSha: "a", report, at: at() });
    }
    const { rows } = await listRuns(db, { page: 1, perPage: 10 });
    expect(await serializeRuns(db, rows)).toMatchObject([
      {
        id: second,
        origin: { runId: first, kind: "continue" },
        messages: [{ text: "more" }],
        checks: { pages: 2 },
      },
      { id: first, origin: null, messages: [], checks: null },
    ]);
    expect(await findActiveSuccessor(db, first)).toBe(second);
    expect(await findActiveSuccessor(db, second)).toBeNull();
    expect(await findRequest(db, "unknown")).toEqual(emptyRequest);
  });

  it("says what a run's cost is in, from what was booked for it", async () => {
    const runId = await addRun("running");
    const plain = await addRun("running");
    const use = { at: at(), purpose: "edit" as const, runId, model: "a/b", cost: 0.1 };
    for (const cachedTokens of [5, 7]) {
      await insertUse(db, {
        ...use,
        inputTokens: 10,
        cachedTokens,
        outputTokens: 1,
        currency: "SEK",
      });
    }
    expect(await usesOfRuns(db, [runId, plain])).toEqual(
      new Map([[runId, { currency: "SEK", cachedTokens: 12 }]]),
    );
    const { rows } = await listRuns(db, { page: 1, perPage: 10 });
    const reported = (await serializeRuns(db, rows)).map(({ id, currency }) => [id, currency]);
    expect(reported).toContainEqual([runId, "SEK"]);
    expect(reported).toContainEqual([plain, null]);
  });

  it("counts a run's time until it was ready", async () => {
    const events = makeRunEvents({ db, clock });
    const runId = await addRun("building");
    const done = { steps: 2, input_tokens: 30, output_tokens: 12, cost: 0.5 };
    await updateRun(db, runId, { ...done, started_at: at() });
    clock.advance(4000);
    const ready = { previewUrl: "/", filesChanged: [], summary: "" };
    await events.transition(runId, ["building"], { status: "preview_ready" }, [
      { type: "preview.ready", data: ready },
    ]);
    clock.advance(90_000);
    await events.transition(runId, ["preview_ready"], { status: "discarded", finished_at: at() });
    await addRun("running");
    const query = { mode: "build", model: "literal", limit: 50 } as const;
    expect(await listPastRuns(db, query)).toEqual([
      { id: runId, inputTokens: 30, outputTokens: 12, cost: 0.5, seconds: 4 },
    ]);
    expect(await findReleaseCommit(db, 1)).toBeNull();
  });
});
