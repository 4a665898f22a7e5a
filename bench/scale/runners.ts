/**
 * How many tasks of the queue one, two, and four runners carry out, each on a node with a folder of its own,
 * on one PostgreSQL that writes durably and one S3 server: from the instruction to the published change. Each
 * task adds a file, so that no two of them conflict.
 *
 * Two models: one answers at once, so that the processors limit what runners do, and more runners than
 * processors can't help. The other one takes 2 s for each of its two answers, as real models do, so that
 * runners mostly wait, and each further runner could do as much as the first.
 *
 *   node bench/scale/runners.ts [--tasks=8] [--runners=1,2,4] [--rounds=1] [--answer-seconds=0,2]
 */
import { availableParallelism } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { sql } from "kysely";
import type { Task } from "../../packages/server/src/features/tasks/schema.ts";
import { type Db, openDatabase } from "../../packages/server/src/platform/db/connect.ts";
import { until } from "../../test/faults/wait.ts";
import type { TestInstance } from "../../test/support/instance.ts";
import {
  type ModelStep,
  type SeenRequest,
  startModelServer,
} from "../../test/support/model-server.ts";
import { type Nodes, startNodes } from "../../test/support/nodes.ts";
import { type Figure, median, printFigures } from "../support/figures.ts";
import { watchProcesses } from "../support/process-watch.ts";
import { settle } from "./settle.ts";
import { type Owner, signIn } from "./site-client.ts";

const { values } = parseArgs({
  options: {
    tasks: { type: "string", default: "8" },
    runners: { type: "string", default: "1,2,4" },
    rounds: { type: "string", default: "1" },
    "answer-seconds": { type: "string", default: "0,2" },
  },
});
const numbers = (list: string) => list.split(",").map(Number);
const counts = numbers(values.runners);
const processors = availableParallelism();
const [readyMs, buildSeconds] = [10 * 60_000, 170];
const maxWaitMs = 10 * 60_000;

/** What one measurement of so many runners gave. */
interface Measured {
  perMinute: number;
  cpuSeconds: number;
  /** Builds of each task: another one if the site has changed since its preview. */
  builds: number;
}

let answerSeconds = 0;

/** Writes the file that the last instruction names, then says that it is done. */
async function respond({ raw }: SeenRequest): Promise<ModelStep> {
  await delay(answerSeconds * 1000);
  const name = [...raw.matchAll(/Write the file (\w+)\./g)].at(-1)?.[1] ?? "none";
  const opening = `I write ${name}.`;
  if (raw.includes(opening)) {
    return { text: `Summary: Wrote ${name}.\nCommit: Write ${name}` };
  }
  const input = { path: `app/public/notes/${name}.txt`, content: `${name}\n` };
  return { text: opening, calls: [{ name: "write", input }] };
}

await using stack = new AsyncDisposableStack();
const model = stack.adopt(
  await startModelServer(Array.from({ length: 10_000 }, () => respond)),
  (server) => server.close(),
);
const nodes: Nodes = stack.use(await startNodes({ durable: true }));
const { db } = stack.adopt(openDatabase({ url: nodes.env.DATABASE_URL, file: "" }), (database) =>
  database.close(),
);
const config = {
  qa: { intervalMinutes: 0 },
  model: { provider: "openai-compatible", id: "scripted", baseUrl: model.url },
};
const instances: TestInstance[] = [];
const running = new Set<TestInstance>();
const processes = watchProcesses();
stack.defer(() => processes.stop());

/** Has exactly so many nodes running. */
async function useRunners(count: number): Promise<void> {
  while (instances.length < count) {
    const node = await nodes.add({ warm: true, config, buildSeconds, readyMs });
    instances.push(node);
    running.add(node);
  }
  for (const [at, node] of instances.entries()) {
    if (at < count && !running.has(node)) await node.start();
    if (at >= count && running.has(node)) await node.stop();
    if (at < count) running.add(node);
    else running.delete(node);
  }
  await settle(processes, 15);
}

async function countBuilds(database: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from run_event where type = 'build.started'`.execute(database);
  return Number(rows[0]?.count);
}

let made = 0;

/** Queues tasks and waits until all are published. */
async function runTasks(owner: Owner, count: number): Promise<Measured> {
  const [builds, cpu, began] = [await countBuilds(db), processes.cpuSeconds(), performance.now()];
  const total = made + count;
  for (; made < total; made += 1) {
    const instruction = `Write the file n${made}.`;
    await owner.post("/api/admintasks/create", { instruction, pageUrl: "/" });
  }
  const allPublished = async () => {
    const list = (status: string) =>
      owner.get<{ items: Task[]; total: number }>(
        `/api/admintasks/list?status=${status}&perPage=1`,
      );
    for (const status of ["failed", "reverted", "needs_review", "cancelled"]) {
      const { items } = await list(status);
      if (items.length > 0) return items[0];
    }
    return (await list("published")).total === made;
  };
  const ended = await until("the tasks", allPublished, { timeoutMs: maxWaitMs, everyMs: 200 });
  if (ended !== true) throw new Error(`A task isn't published: ${JSON.stringify(ended)}`);
  const minutes = (performance.now() - began) / 60_000;
  return {
    perMinute: count / minutes,
    cpuSeconds: (processes.cpuSeconds() - cpu) / count,
    builds: ((await countBuilds(db)) - builds) / count,
  };
}

await useRunners(1);
const [first] = instances;
if (first === undefined) throw new Error("There is no node.");
const { port, host } = new URL(first.baseUrl);
const owner = await signIn({ port: Number(port), host }, await first.link());
// What visitors would see isn't compared in a browser, which takes longer than all the rest.
await first.vitrine(["setting", "set", "tasks.unattended"], "all");
// Fills caches.
await runTasks(owner, 1);

const found = new Map<string, Measured[]>();
for (let round = 0; round < Number(values.rounds); round += 1) {
  for (const count of round % 2 === 0 ? counts : counts.toReversed()) {
    await useRunners(count);
    for (const seconds of numbers(values["answer-seconds"])) {
      answerSeconds = seconds;
      const measured = await runTasks(owner, Number(values.tasks));
      const key = `${seconds}-${count}`;
      found.set(key, [...(found.get(key) ?? []), measured]);
      console.error(`${count} runners, answers after ${seconds} s:`, measured);
    }
  }
}

function figuresOf(seconds: number): Figure[] {
  const isWaiting = seconds > 0;
  const answers = isWaiting ? `answers after ${seconds} s` : "answers at once";
  const ideal = (count: number) => (isWaiting ? count : Math.min(count, processors));
  const limit = isWaiting ? "each runner as much as one alone" : `${processors} processors`;
  const one = found.get(`${seconds}-1`) ?? [];
  return counts.flatMap((count): Figure[] => {
    const all = found.get(`${seconds}-${count}`) ?? [];
    const column = count === 1 ? "1 runner" : `${count} runners`;
    const add = (name: string, what: string, unit: Figure["unit"], list: number[]): Figure => ({
      id: `${name}-${seconds}-${count}`,
      what: `${what}; the model ${answers}`,
      column,
      unit,
      values: list,
    });
    const shares = all.map(
      ({ perMinute }, at) => (100 * perMinute) / ((one[at]?.perMinute ?? 0) * ideal(count)),
    );
    return [
      add(
        "rate",
        "published tasks",
        "/min",
        all.map(({ perMinute }) => perMinute),
      ),
      add("share", `of ideal, which is ${limit}`, "%", shares),
      add(
        "cpu",
        "processor time of a task",
        "s",
        all.map(({ cpuSeconds }) => cpuSeconds),
      ),
      add(
        "builds",
        "builds of a task",
        "",
        all.map(({ builds }) => builds),
      ),
    ];
  });
}

const figures = numbers(values["answer-seconds"]).flatMap(figuresOf);
console.table(
  figures.map(({ what, column, values: list, unit }) => ({
    what,
    column,
    median: median(list),
    unit,
  })),
);
printFigures(figures);
