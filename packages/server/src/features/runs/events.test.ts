import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { type Db, type Dialect, openDatabase } from "../../platform/db/connect.ts";
import { migrate } from "../../platform/db/migrate.ts";
import { fakeClock } from "../../../../../test/support/clock.ts";
import { eventually } from "../../../../../test/support/eventually.ts";
import {
  type DatabaseMaker,
  dialects,
  startDialect,
} from "../../../../../test/support/postgres.ts";
import { addRunRow } from "../../../../../test/support/run-rows.ts";
import { makeRunEvents, type RunEvents } from "./events.ts";
import type { RunEvent, RunStatus } from "./schema.ts";
import { findRun, listRunsByStatus } from "./store.ts";
import { streamEvents, type EventStreamOptions } from "./routes/stream.ts";

const clock = fakeClock();
let made: Awaited<ReturnType<DatabaseMaker["make"]>>;
let db: Db;
let events: RunEvents;

/** A migrated database of this dialect for each test. */
function onDialect(dialect: Dialect) {
  let maker: DatabaseMaker;
  beforeAll(async () => {
    maker = await startDialect(dialect);
  });
  beforeEach(async () => {
    made = await maker.make();
    await migrate({ database: made.database, now: clock.now() });
    db = made.database.db;
    events = makeRunEvents({ db, clock, coalesceMs: 5 });
  });
  afterAll(() => maker?.close());
}

const addRun = (status: RunStatus = "running") => addRunRow(db, clock, status);

const line = (text: string): RunEvent => ({ type: "build.log", data: { line: text } });
const text = (value: string): RunEvent => ({ type: "model.text", data: { text: value } });

interface Sent {
  id: number;
  event: string;
  data: unknown;
}

function parse(chunks: string): Sent[] {
  return chunks
    .split("\n\n")
    .filter((block) => block.startsWith("id:"))
    .map((block) => {
      const [id = "", event = "", data = ""] = block
        .split("\n")
        .map((part) => part.replace(/^\w+: /, ""));
      return { id: Number(id), event, data: JSON.parse(data) };
    });
}

function open(runId: string, more: Partial<EventStreamOptions> = {}) {
  const gone = new AbortController();
  const chunks: string[] = [];
  const stream = streamEvents(
    { db, clock, events },
    {
      runId,
      after: 0,
      isAlive: async () => true,
      signal: gone.signal,
      pollMs: 5,
      ...more,
    },
  );
  const ended = (async () => {
    for await (const chunk of stream) chunks.push(chunk);
  })();
  return { ended, gone, text: () => chunks.join(""), sent: () => parse(chunks.join("")) };
}

describe.each(dialects)("run events on %s", (dialect) => {
  onDialect(dialect);

  it("numbers events from 1 in the order in which they happened", async () => {
    const runId = await addRun();
    for (let i = 1; i <= 50; i += 1) events.emit(runId, line(String(i)));
    await events.flush(runId);
    const stored = await events.listAfter(runId, 0);
    expect(stored.map(({ seq }) => seq)).toEqual(Array.from({ length: 50 }, (_, i) => i + 1));
    expect(stored.map(({ data }) => (data as { line: string }).line)).toEqual(
      Array.from({ length: 50 }, (_, i) => String(i + 1)),
    );
  });

  it("joins text that follows closely, but never across another event", async () => {
    const runId = await addRun();
    for (const part of ["He", "llo", " you"]) events.emit(runId, text(part));
    events.emit(runId, line("between"));
    events.emit(runId, text("!"));
    await events.flush(runId);
    expect((await events.listAfter(runId, 0)).map(({ data }) => data)).toEqual([
      { text: "Hello you" },
      { line: "between" },
      { text: "!" },
    ]);
  });

  it("says that an event could not be stored", async () => {
    events.emit("no such run", line("lost"));
    await expect(events.flush("no such run")).rejects.toThrow(/foreign key/i);
  });

  it("abuse 83: of many that move a run on, one wins and the rest change nothing", async () => {
    const runId = await addRun("preview_ready");
    const elsewhere = makeRunEvents({ db: db, clock });
    const won = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        (i % 2 ? events : elsewhere).transition(runId, ["preview_ready"], {
          status: i % 4 < 2 ? "publishing" : "discarded",
        }),
      ),
    );
    expect(won.filter(Boolean)).toHaveLength(1);
    expect(await events.listAfter(runId, 0)).toHaveLength(1);
  });

  it("numbers without gap or double what two processes append to one run", async () => {
    const runId = await addRun();
    const other = openDatabase(made.address);
    const elsewhere = makeRunEvents({ db: other.db, clock });
    for (let i = 0; i < 10; i += 1) {
      // SQLite's wait for its lock stops a whole process, so here they take turns.
      if (dialect === "sqlite") await events.flush(runId);
      elsewhere.emit(runId, line(`there ${i}`));
      if (dialect === "sqlite") await elsewhere.flush(runId);
      events.emit(runId, line(`here ${i}`));
    }
    await Promise.all([events.flush(runId), elsewhere.flush(runId)]);
    await other.close();
    const stored = await events.listAfter(runId, 0);
    expect(stored.map(({ seq }) => seq)).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
    expect(new Set(stored.map(({ data }) => JSON.stringify(data))).size).toBe(20);
  });

  it("makes no move that the states don't allow", async () => {
    const runId = await addRun("published");
    expect(await events.transition(runId, ["published"], { status: "preview_ready" })).toBe(false);
    expect((await findRun(db, runId))?.status).toBe("published");
    expect(await events.listAfter(runId, 0)).toEqual([]);
  });

  it("stores a state together with what was emitted before and what belongs to it", async () => {
    const runId = await addRun();
    events.emit(runId, text("last words"));
    await events.transition(runId, ["running"], { status: "failed", error: "no" }, [
      { type: "run.finished", data: { status: "failed", error: "no" } },
    ]);
    expect((await events.listAfter(runId, 0)).map(({ type }) => type)).toEqual([
      "model.text",
      "run.status",
      "run.finished",
    ]);
    expect((await findRun(db, runId))?.status).toBe("failed");
    expect(await listRunsByStatus(db, ["running"])).toEqual([]);
  });
});

describe.each(dialects)("event stream on %s", (dialect) => {
  onDialect(dialect);

  it("abuse 24: replays exactly what was missed, at any point, while more happens", async () => {
    const runId = await addRun();
    const readers = Array.from({ length: 8 }, (_, after) => open(runId, { after: after * 3 }));
    for (let i = 1; i <= 60; i += 1) {
      events.emit(runId, i % 3 ? line(String(i)) : text(`${i} `));
      if (i % 7 === 0) await events.flush(runId);
      if (i % 20 === 0) readers.push(open(runId, { after: i / 2 }));
    }
    await events.flush(runId);
    await events.transition(runId, ["running"], { status: "failed" }, [
      { type: "run.finished", data: { status: "failed" } },
    ]);
    const all = [...(await events.listAfter(runId, 0))];
    for (const reader of readers) await reader.ended;
    const expected = all.map(({ seq, type, data }) => ({ id: seq, event: type, data }));
    const firsts = [0, 3, 6, 9, 12, 15, 18, 21, 10, 20, 30];
    expect(readers.map((reader) => reader.sent())).toEqual(
      firsts.map((after) => expected.slice(after)),
    );
  });

  it("sends what another process has stored", async () => {
    const runId = await addRun();
    const reader = open(runId);
    const other = openDatabase(made.address);
    const elsewhere = makeRunEvents({ db: other.db, clock });
    elsewhere.emit(runId, line("from afar"));
    await elsewhere.flush(runId);
    await eventually(() => expect(reader.sent()).toHaveLength(1));
    await elsewhere.transition(runId, ["running"], { status: "cancelled" });
    await reader.ended;
    await other.close();
    expect(reader.sent().at(-1)).toMatchObject({
      event: "run.status",
      data: { status: "cancelled" },
    });
  });

  it("stays open while a preview waits, and pings every 15 s", async () => {
    const runId = await addRun("preview_ready");
    const reader = open(runId);
    clock.advance(14_000);
    await eventually(() => expect(reader.text()).toContain("retry:"));
    expect(reader.text()).not.toContain(": ping");
    clock.advance(2000);
    await eventually(() => expect(reader.text()).toContain(": ping\n\n"));
    reader.gone.abort();
    await reader.ended;
  });

  it("abuse 23: ends within 2 s of a logout", async () => {
    const runId = await addRun();
    let alive = true;
    const reader = open(runId, { isAlive: async () => alive });
    await eventually(() => expect(reader.text()).toContain("retry:"));
    alive = false;
    clock.advance(2000);
    await reader.ended;
    expect(reader.sent()).toEqual([]);
  });

  it("waits for a slow reader instead of reading ahead", async () => {
    const runId = await addRun();
    const spy = vi.spyOn(events, "listAfter");
    const stream = streamEvents(
      { db, clock, events },
      {
        runId,
        after: 0,
        isAlive: async () => true,
        signal: new AbortController().signal,
      },
    );
    events.emit(runId, line("1"));
    await events.flush(runId);
    await stream.next();
    expect((await stream.next()).value).toContain("id: 1");
    const calls = spy.mock.calls.length;
    for (let i = 0; i < 20; i += 1) events.emit(runId, line("more"));
    await events.flush(runId);
    expect(spy.mock.calls).toHaveLength(calls);
    await stream.return();
  });
});
