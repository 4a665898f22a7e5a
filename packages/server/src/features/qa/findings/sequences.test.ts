import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeTestDatabase, type TestDatabase } from "../../../../../../test/support/database.ts";
import { clearQa, runOver, observation } from "../../../../../../test/support/qa-result.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { listIgnores } from "./ignore-store.ts";
import { ignoreFinding, reopenFinding, ignoreAllOpen, unignore } from "./ignore.ts";
import { countFindings } from "./list-store.ts";
import { type FindingRow, queueFinding, releaseFindings, tables } from "./store.ts";
import { addTaskRow } from "../../../../../../test/support/queue-tasks.ts";

let made: TestDatabase;
let db: Db;
beforeAll(async () => {
  made = await makeTestDatabase();
  db = made.database.db;
});
afterAll(() => made.cleanup());

const pages = ["/", "/a/", "/b/"];
const names = ["p", "q", "r", "s", "t", "u"];
const pageOf = (name: string) => pages[names.indexOf(name) % pages.length] ?? "/";
const checkOf = (name: string) => (names.indexOf(name) < 3 ? "link.internal-broken" : "img.alt");

const some = <T extends string>(all: readonly T[]) => fc.subarray([...all]);
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("run" as const),
      there: some(names),
      visited: some(pages),
      complete: fc.boolean(),
      unchanged: fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, fc.boolean()),
    }),
  },
  fc.record({
    kind: fc.constant("ignore" as const),
    name: fc.constantFrom(...names),
    days: fc.integer({ min: 0, max: 3 }),
  }),
  fc.record({
    kind: fc.constant("rule" as const),
    name: fc.constantFrom(...names),
    wide: fc.boolean(),
    days: fc.integer({ min: 0, max: 3 }),
  }),
  fc.record({ kind: fc.constant("reopen" as const), name: fc.constantFrom(...names) }),
  fc.record({ kind: fc.constant("unignore" as const), nth: fc.nat(3) }),
  fc.record({ kind: fc.constant("baseline" as const) }),
  fc.record({
    kind: fc.constant("queue" as const),
    name: fc.constantFrom(...names),
    helps: fc.boolean(),
  }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

async function rows(): Promise<Map<string, FindingRow>> {
  const all = await tables(db).selectFrom("finding").selectAll().execute();
  const found = new Map(all.map((row) => [row.fingerprint, row]));
  expect(found.size, "one row for each fingerprint").toBe(all.length);
  return found;
}

const refused = (error: { code?: string }) => {
  if (error.code !== "invalid_state" && error.code !== "not_found") throw error;
};

let hours = 0;
const now = () => new Date(Date.UTC(2026, 0, 1) + hours * 3_600_000).toISOString();

async function act(given: Exclude<Step, { kind: "run" }>, before: Map<string, FindingRow>) {
  const until =
    "days" in given && given.days > 0
      ? new Date(Date.parse(now()) + given.days * 86_400_000).toISOString()
      : null;
  const words = { reason: "So.", by: "Owner", at: now(), until };
  const id = ("name" in given && before.get(given.name)?.id) || 0;
  if (given.kind === "ignore") await ignoreFinding(db, { findingId: id, ...words }).catch(refused);
  else if (given.kind === "rule") {
    const pageUrl = given.wide ? null : pageOf(given.name);
    await ignoreFinding(db, { check: checkOf(given.name), pageUrl, ...words });
  } else if (given.kind === "reopen") await reopenFinding(db, { findingId: id }).catch(refused);
  else if (given.kind === "unignore") {
    await unignore(db, (await listIgnores(db))[given.nth]?.id ?? 0).catch(refused);
  } else if (given.kind === "baseline") await ignoreAllOpen(db, { by: "Owner", at: now() });
  else {
    const task = await addTaskRow(db, "queued");
    await queueFinding(db, id, { taskId: task.id, instruction: null });
    if (!given.helps) await releaseFindings(db, task.id);
  }
}

/** What a QA run has made of one finding: a transition, or what is wrong with it. */
function transition(
  name: string,
  { was, row, there }: { was: FindingRow | undefined; row: FindingRow; there: boolean },
  { visited, unchanged }: Extract<Step, { kind: "run" }>,
): "fresh" | "fixed" | "reopened" | "none" | `wrong: ${string}` {
  if (!was) {
    if (!there) return `wrong: ${name} came from nowhere`;
    return row.status === "open" ? "fresh" : "none";
  }
  const checked = visited.includes(pageOf(name)) && !unchanged;
  if (there) {
    if (row.status === "fixed" || row.fixed_at !== null) return `wrong: ${name} is there`;
    // It was gone, which is not told of what is ignored until its ignoring ends.
    return was.fixed_at !== null && row.status === "open" ? "reopened" : "none";
  }
  // Also what was ignored until now.
  const ended = was.status === "ignored" && row.status !== "ignored" && was.fixed_at === null;
  if (was.status !== "open" && was.status !== "queued" && !ended) return "none";
  if (row.status !== "fixed") return checked ? `wrong: ${name} is ${row.status}` : "none";
  return checked ? "fixed" : `wrong: nobody has looked for ${name}`;
}

async function run(given: Extract<Step, { kind: "run" }>, before: Map<string, FindingRow>) {
  const { visited, complete, unchanged } = given;
  const there = unchanged ? [] : given.there.filter((name) => visited.includes(pageOf(name)));
  const observations = there.map((name) =>
    observation(name, { page: pageOf(name), check: checkOf(name) }),
  );
  const sum = await runOver(
    db,
    { observations, visited, isComplete: complete, isUnchanged: unchanged },
    { at: now() },
  );
  const after = await rows();
  const moves = [...after].map(([name, row]) =>
    transition(name, { was: before.get(name), row, there: there.includes(name) }, given),
  );
  expect(moves.filter((one) => one.startsWith("wrong"))).toEqual([]);
  const count = (wanted: string) => moves.filter((one) => one === wanted).length;
  const open = [...after.values()].filter(({ status }) => status === "open");
  expect(sum).toMatchObject({
    newFindings: count("fresh"),
    fixedFindings: count("fixed"),
    reopenedFindings: count("reopened"),
    counts: { error: open.length },
  });
}

/** What must never be of a finding, whatever has happened. */
function wrongsOf(row: FindingRow, was: FindingRow): string[] {
  const retained = ["id", "first_seen_at", "first_run_id"] as const;
  const found: string[] = retained.filter((name) => row[name] !== was[name]);
  if (row.first_run_id > row.last_run_id) found.push("runs");
  if ((row.ignore_id !== null) !== (row.status === "ignored")) found.push("ignoring");
  const isGone = row.fixed_at !== null;
  if (row.status === "fixed" && !isGone) found.push("fixed, but there");
  if (["open", "queued"].includes(row.status) && isGone) found.push("open, but gone");
  return found;
}

function wrongs(after: Map<string, FindingRow>, before: Map<string, FindingRow>): string[] {
  const lost = [...before.keys()].filter((name) => !after.has(name));
  const all = [...after.values()];
  return lost.concat(all.flatMap((row) => wrongsOf(row, before.get(row.fingerprint) ?? row)));
}

test("findings stay correct after any sequence of runs, ignores, and fixes", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), async (steps) => {
      await clearQa(db);
      hours = 0;
      let before = new Map<string, FindingRow>();
      for (const given of steps) {
        hours += 7;
        if (given.kind === "run") await run(given, before);
        else await act(given, before);
        const after = await rows();
        expect(wrongs(after, before)).toEqual([]);
        const { open, queued, ignored, fixed } = await countFindings(db);
        expect(open.error + queued + ignored + fixed).toBe(after.size);
        for (const { findings, id } of await listIgnores(db)) {
          const quiet = [...after.values()].filter((row) => row.ignore_id === id);
          expect(findings).toBe(quiet.length);
        }
        before = after;
      }
    }),
    { numRuns: 200 },
  );
}, 60_000);

test("100 runs over an unchanged site: nothing new, nothing lost", async () => {
  await clearQa(db);
  const observations = names.map((name) =>
    observation(name, { page: pageOf(name), check: checkOf(name) }),
  );
  const visited = pages;
  await runOver(db, { observations, visited });
  const first = await rows();
  for (let n = 0; n < 100; n += 1) {
    const unchanged = n % 3 !== 0;
    const sum = await runOver(db, {
      observations: unchanged ? [] : observations,
      visited,
      isUnchanged: unchanged,
    });
    expect(sum).toMatchObject({
      newFindings: 0,
      fixedFindings: 0,
      reopenedFindings: 0,
      counts: { error: names.length, warning: 0, notice: 0 },
    });
  }
  const last = await rows();
  expect([...last.keys()]).toEqual([...first.keys()]);
  for (const [name, row] of last) {
    expect(row).toMatchObject({
      first_seen_at: first.get(name)?.first_seen_at,
      seen_count: 101,
      status: "open",
    });
  }
  const { runs } = await db
    .withTables<{ qa_run: { id: number } }>()
    .selectFrom("qa_run")
    .select(({ fn }) => fn.countAll<number>().as("runs"))
    .executeTakeFirstOrThrow();
  expect(runs).toBe(50);
});

test("abuse 95: run 51: the 50 most recent runs are kept, and when something was first seen is not lost", async () => {
  await clearQa(db);
  const { at, runId } = await runOver(db, {
    observations: [observation("p")],
    visited: pages,
  });
  for (let n = 0; n < 49; n += 1) await runOver(db, { isUnchanged: true, visited: pages });
  const ids = async () =>
    (
      await db
        .withTables<{ qa_run: { id: number } }>()
        .selectFrom("qa_run")
        .select("id")
        .orderBy("id")
        .execute()
    ).map(({ id }) => id);
  expect(await ids()).toHaveLength(50);
  expect((await ids())[0]).toBe(runId);
  const last = await runOver(db, { isUnchanged: true, visited: pages });
  const retained = await ids();
  expect([retained.length, retained[0], retained.at(-1)]).toEqual([50, runId + 1, last.runId]);
  expect((await rows()).get("p")).toMatchObject({
    first_seen_at: at,
    first_run_id: runId,
    last_run_id: last.runId,
    seen_count: 51,
  });
  const marks = await tables(db)
    .selectFrom("finding_run")
    .select("state")
    .where("run_id", "<=", runId)
    .execute();
  expect(marks).toEqual([]);
});
