/**
 * Measures the CPU time of the task queue's responses in the web process, with 10,000 tasks, of
 * which 300 have runs, and 100,000 events of the current run.
 *
 *   node bench/tasks/api.ts [sqlite|postgres]
 */
import { sql } from "kysely";
import { startDialect } from "../../test/support/postgres.ts";
import { startTasksApp, type TasksApp } from "../../test/support/tasks-app.ts";
import { queueState } from "../../packages/server/src/features/tasks/board/queue-state.ts";
import { insertTask, type NewTask } from "../../packages/server/src/features/tasks/store.ts";
import { isoTime } from "../../packages/server/src/kit/time.ts";
import { type Figure, printFigures } from "../support/figures.ts";

const rounds = 60;
const dialect = process.argv[2] === "postgres" ? "postgres" : "sqlite";

async function fill({ db, ...app }: TasksApp): Promise<void> {
  const task: NewTask = {
    kind: "edit",
    title: "Make the header of the page calmer",
    instruction: "Make the header of the page calmer, and keep the picture. ".repeat(8),
    pageUrl: "/about/",
    projectId: null,
    findingId: null,
    attachments: [1, 2],
    priority: 0,
    actor: "Ada",
  };
  const states = ["queued", "queued", "queued", "published", "published", "reverted", "cancelled"];
  await db.transaction().execute(async (trx) => {
    for (let i = 0; i < 10_000; i += 1) {
      const at = isoTime(Date.now() - i * 1000);
      const { id } = await insertTask(trx, { ...task, priority: (i % 3) - 1 }, at);
      const status = states[i % states.length];
      await sql`update task set status = ${status} where id = ${id}`.execute(trx);
    }
  });
  for (let i = 0; i < 300; i += 1) {
    const claim = await app.claim();
    const runId = await app.start(claim, i === 299 ? "running" : "failed", {
      files_changed: JSON.stringify([{ path: "app/src/pages/about.astro", added: 3, removed: 1 }]),
    });
    if (i < 299) {
      await sql`update task set status = 'reverted', claim_hash = null where id = ${claim.taskId}`.execute(
        db,
      );
      continue;
    }
    for (let seq = 0; seq < 100_000; seq += 500) {
      const rows = Array.from(
        { length: 500 },
        (_, n) =>
          sql`(${runId}, ${seq + n + 1}, ${n % 50 === 0 ? "tool.call" : "model.text"}, ${'{"title":"Reading a page"}'}, ${isoTime(Date.now())})`,
      );
      await sql`insert into run_event (run_id, seq, type, data, at) values ${sql.join(rows)}`.execute(
        db,
      );
    }
  }
  await sql`analyze`.execute(db);
}

const figures: Figure[] = [];

async function measure(name: string, work: () => Promise<number>): Promise<void> {
  for (let i = 0; i < 5; i += 1) await work();
  const times: number[] = [];
  const before = process.cpuUsage();
  let bytes = 0;
  for (let i = 0; i < rounds; i += 1) {
    const began = performance.now();
    bytes = await work();
    times.push(performance.now() - began);
  }
  const { user, system } = process.cpuUsage(before);
  const median = times.toSorted((a, b) => a - b)[rounds >> 1] ?? Number.NaN;
  const cpu = (user + system) / 1000 / rounds;
  figures.push(
    { id: `${name}-cpu`, what: `${name}: processor time`, unit: "ms", values: [cpu] },
    { id: name, what: name, unit: "ms", values: times },
  );
  console.log(
    `${name.padEnd(24)} ${cpu.toFixed(2).padStart(7)} ms processor ${median.toFixed(2).padStart(7)} ms median ${String(bytes).padStart(7)} bytes`,
  );
}

const maker = await startDialect(dialect);
const app = await startTasksApp(maker);
await fill(app);
const get = async (path: string, headers: Record<string, string> = {}) => {
  const answer = await app.ask(path, undefined, { ...app.session, ...headers });
  if (answer.status >= 400) throw new Error(answer.text);
  return answer;
};
const { headers } = await get("/board");
const etag = String(headers["etag"]);
const last = (await get("/list?perPage=1&status=building")).data as { items: { id: number }[] };
const bytesOf = (path: string, more?: Record<string, string>) => async () =>
  (await get(path, more)).text.length;
console.log(dialect);
await measure("board", bytesOf("/board"));
await measure("board, unchanged", bytesOf("/board", { "if-none-match": etag }));
await measure("list, 25 newest", bytesOf("/list"));
await measure("list, 100 in the queue", bytesOf("/list?status=queued&sort=queue&perPage=100"));
await measure("list, the last page", bytesOf("/list?page=400"));
await measure("get, 100,000 events", bytesOf(`/get?id=${last.items[0]?.id}`));
await measure("counts", bytesOf("/counts"));
await measure("health", async () => {
  await queueState(app.db, { pause: app.pause, runners: async () => 1 });
  return 0;
});
await app[Symbol.asyncDispose]();
await maker.close();
printFigures(figures);
