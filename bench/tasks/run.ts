/**
 * How fast tasks are claimed: beside a bare `UPDATE … RETURNING` loop through the driver alone, on the
 * same table, with the same number of processes; and on PostgreSQL how fast they are claimed and
 * finished beside graphile-worker. Both databases write durably. The rounds take turns. With few
 * tasks it measures how processes warm up, not how they work.
 *
 *   node bench/tasks/run.ts [rounds=3] [--processes=8] [--tasks=6000] [--json]
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { makeWorkerUtils } from "graphile-worker";
import { sql } from "kysely";
import { migrate } from "../../packages/server/src/platform/db/migrate.ts";
import { type DatabaseMaker, dialects, startDialect } from "../../test/support/postgres.ts";
import { clearTasks, addTaskRows } from "../../test/support/queue-tasks.ts";
import type { Mode } from "./worker.ts";

function option(name: string, fallback: number): number {
  const given = process.argv.find((argument) => argument.startsWith(`--${name}=`));
  return Number(given?.split("=")[1]) || fallback;
}

const rounds = Number(process.argv[2]) || 3;
const processes = option("processes", 8);
const tasks = option("tasks", 6000);
const target = 0.5;

type Made = Awaited<ReturnType<DatabaseMaker["make"]>>;

interface Measurement {
  ms: number;
  done: number;
}

async function ready(child: ChildProcess): Promise<() => Promise<number>> {
  if (!child.stdout || !child.stdin) throw new Error("The child has no pipes.");
  const { stdin } = child;
  const lines = createInterface({ input: child.stdout });
  const closed = once(child, "close").then(() => ["its end"]);
  const [first] = (await Promise.race([once(lines, "line"), closed])) as [string];
  if (first !== "ready") throw new Error(`The worker said: ${first}`);
  return async () => {
    const firstLine = once(lines, "line");
    stdin.write("go\n");
    const [line] = (await Promise.race([firstLine, closed])) as [string];
    return Number(line.split(" ")[1]);
  };
}

/** Runs the given number of processes until no tasks are left; timing starts when all are ready. */
async function runMeasurement(mode: Mode, { url, file }: Made["address"]): Promise<Measurement> {
  const program = join(import.meta.dirname, "worker.ts");
  const children = Array.from({ length: processes }, () =>
    spawn(process.execPath, [program, mode, url ?? "", file], {
      stdio: ["pipe", "pipe", "inherit"],
    }),
  );
  const ended = children.map((child) => once(child, "close"));
  const starts = await Promise.all(children.map(ready));
  const started = performance.now();
  const counts = await Promise.all(starts.map((go) => go()));
  const ms = performance.now() - started;
  await Promise.all(ended);
  const done = counts.reduce((sum, count) => sum + count, 0);
  if (done !== tasks) throw new Error(`${mode}: ${done} of ${tasks} tasks were carried out.`);
  return { ms, done };
}

async function prepare({ database, address }: Made, mode: Mode): Promise<void> {
  if (mode === "graphile") {
    const utils = await makeWorkerUtils({ connectionString: address.url ?? "" });
    await utils.migrate();
    await utils.addJobs(Array.from({ length: tasks }, () => ({ identifier: "noop", payload: {} })));
    await utils.release();
    await sql`vacuum analyze`.execute(database.db);
    return;
  }
  await clearTasks(database.db);
  await addTaskRows(database.db, tasks);
  await sql.raw(database.dialect === "postgres" ? "vacuum analyze" : "vacuum").execute(database.db);
}

const modes: Record<(typeof dialects)[number], Mode[]> = {
  sqlite: ["bare", "ours"],
  postgres: ["bare", "ours", "graphile", "finish"],
};

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

async function measure(dialect: (typeof dialects)[number]) {
  const maker = await startDialect(dialect, { durable: true });
  const rates: Partial<Record<Mode, number[]>> = {};
  try {
    const made = await maker.make();
    await migrate({ database: made.database, now: Date.now() });
    for (let round = 0; round < rounds; round += 1) {
      const turn = round % 2 === 0 ? modes[dialect] : modes[dialect].toReversed();
      for (const mode of turn) {
        await prepare(made, mode);
        const { ms, done } = await runMeasurement(mode, made.address);
        (rates[mode] ??= []).push((done / ms) * 1000);
      }
    }
  } finally {
    await maker.close();
  }
  const of = (mode: Mode) => Math.round(median(rates[mode] ?? []));
  const ratio = (a: Mode, b: Mode) => Math.round((of(a) / of(b)) * 100) / 100;
  const claims = {
    dialect,
    what: "claims/s",
    ours: of("ours"),
    peer: "bare loop",
    its: of("bare"),
    ratio: ratio("ours", "bare"),
  };
  if (dialect === "sqlite") return [claims];
  const finishes = {
    dialect,
    what: "claimed and finished/s",
    ours: of("finish"),
    peer: "graphile-worker",
    its: of("graphile"),
    ratio: ratio("finish", "graphile"),
  };
  return [claims, finishes];
}

const results = [];
for (const dialect of dialects) results.push(...(await measure(dialect)));
const met = results
  .filter(({ peer }) => peer === "bare loop")
  .every(({ ratio }) => ratio >= target);
if (!process.argv.includes("--json")) {
  console.log(`${tasks} tasks, ${processes} processes, medians of ${rounds} rounds`);
  console.table(results);
  console.log(`target: claims ≥ ${target} of the bare loop: ${met ? "met" : "missed"}`);
}
console.log(JSON.stringify({ tasks, processes, rounds, results, target, met }));
