/**
 * How fast tasks are claimed: beside a bare `UPDATE … RETURNING` loop through the driver alone, on the
 * same table, with the same number of processes; and on PostgreSQL how fast they are claimed and
 * finished beside graphile-worker. Both databases write durably. The rounds take turns. With few
 * tasks it measures how processes warm up, not how they work. `CpuUs` is the processor time of the
 * workers for a task, without the database's, in microseconds.
 *
 *   node bench/tasks/run.ts [rounds=3] [--processes=8] [--tasks=6000]
 *     [--database=sqlite|postgres] [--json]
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
import { type Figure, median, printFigures, ratios } from "../support/figures.ts";
import type { Mode } from "./worker.ts";

function option(name: string, fallback: number): number {
  const given = process.argv.find((argument) => argument.startsWith(`--${name}=`));
  return Number(given?.split("=")[1]) || fallback;
}

const rounds = Number(process.argv[2]) || 3;
const processes = option("processes", 8);
const tasks = option("tasks", 6000);
/** Of the bare loop's claims, and of what graphile-worker finishes. */
const target = 0.5;
const finishTarget = 1;
const chosen = dialects.filter(
  (dialect) =>
    process.argv.every((given) => !given.startsWith("--database=")) ||
    process.argv.includes(`--database=${dialect}`),
);

type Made = Awaited<ReturnType<DatabaseMaker["make"]>>;

interface Measurement {
  ms: number;
  /** Processor time of the workers, without the database's, in ms. */
  cpu: number;
  done: number;
}

/** What a worker has done, and the processor time it took, in ms. */
interface Work {
  done: number;
  cpu: number;
}

async function ready(child: ChildProcess): Promise<() => Promise<Work>> {
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
    const [, done, cpu] = line.split(" ");
    return { done: Number(done), cpu: Number(cpu) };
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
  const done = counts.reduce((sum, count) => sum + count.done, 0);
  const cpu = counts.reduce((sum, count) => sum + count.cpu, 0);
  if (done !== tasks) throw new Error(`${mode}: ${done} of ${tasks} tasks were carried out.`);
  return { ms, done, cpu };
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
  postgres: ["bare", "ours", "finish", "graphile"],
};

const figures: Figure[] = [];

function figuresOf(
  dialect: (typeof dialects)[number],
  rates: Partial<Record<Mode, number[]>>,
  costs: Partial<Record<Mode, number[]>>,
): Figure[] {
  const name = { sqlite: "SQLite", postgres: "PostgreSQL" }[dialect];
  const titles: Record<Mode, string> = {
    ours: `${name}: claims`,
    bare: `${name}: claims by the bare loop`,
    finish: `${name}: claimed and finished`,
    graphile: `${name}: claimed and finished by graphile-worker`,
  };
  const pair = (own: Mode, peer: Mode, min: number): Figure => ({
    id: `${dialect}-${own}`,
    what: `${titles[own]} ÷ ${peer === "bare" ? "bare loop" : "graphile-worker"}`,
    unit: "×",
    values: ratios(rates[own] ?? [], rates[peer] ?? []),
    min,
  });
  return [
    ...(rates.finish ? [pair("finish", "graphile", finishTarget)] : []),
    pair("ours", "bare", target),
    ...(Object.entries(rates) as [Mode, number[]][]).map(([mode, values]): Figure => {
      return { id: `${dialect}-${mode}-rate`, what: titles[mode], unit: "/s", values };
    }),
    ...(Object.entries(costs) as [Mode, number[]][]).map(([mode, values]): Figure => {
      const what = `${titles[mode]}: processor time of the workers for a task`;
      return { id: `${dialect}-${mode}-cpu`, what, unit: "µs", values };
    }),
  ];
}

async function measure(dialect: (typeof dialects)[number]) {
  const maker = await startDialect(dialect, { durable: true });
  const rates: Partial<Record<Mode, number[]>> = {};
  const costs: Partial<Record<Mode, number[]>> = {};
  try {
    const made = await maker.make();
    await migrate({ database: made.database, now: Date.now() });
    for (let round = 0; round < rounds; round += 1) {
      const turn = round % 2 === 0 ? modes[dialect] : modes[dialect].toReversed();
      for (const mode of turn) {
        await prepare(made, mode);
        const { ms, done, cpu } = await runMeasurement(mode, made.address);
        (rates[mode] ??= []).push((done / ms) * 1000);
        (costs[mode] ??= []).push((cpu * 1000) / done);
      }
    }
  } finally {
    await maker.close();
  }
  figures.push(...figuresOf(dialect, rates, costs));
  const of = (mode: Mode) => Math.round(median(rates[mode] ?? []));
  const cost = (mode: Mode) => Math.round(median(costs[mode] ?? []));
  // Other programs disturb both sides of a round, so its two rates are compared with each other.
  const ratio = (a: Mode, b: Mode) => {
    const pairs = (rates[a] ?? []).map((rate, round) => rate / (rates[b]?.[round] ?? Number.NaN));
    return Math.round(median(pairs) * 100) / 100;
  };
  const claims = {
    dialect,
    what: "claims/s",
    ours: of("ours"),
    oursCpuUs: cost("ours"),
    peer: "bare loop",
    its: of("bare"),
    itsCpuUs: cost("bare"),
    ratio: ratio("ours", "bare"),
  };
  if (dialect === "sqlite") return [claims];
  const finishes = {
    dialect,
    what: "claimed and finished/s",
    ours: of("finish"),
    oursCpuUs: cost("finish"),
    peer: "graphile-worker",
    its: of("graphile"),
    itsCpuUs: cost("graphile"),
    ratio: ratio("finish", "graphile"),
  };
  return [claims, finishes];
}

const results = [];
for (const dialect of chosen) results.push(...(await measure(dialect)));
const met = results
  .filter(({ peer }) => peer === "bare loop")
  .every(({ ratio }) => ratio >= target);
if (!process.argv.includes("--json")) {
  console.log(`${tasks} tasks, ${processes} processes, medians of ${rounds} rounds`);
  console.table(results);
  console.log(`target: claims ≥ ${target} of the bare loop: ${met ? "met" : "missed"}`);
}
console.log(JSON.stringify({ tasks, processes, rounds, results, target, met }));
printFigures(figures);
