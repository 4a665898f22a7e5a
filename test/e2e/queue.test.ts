import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Database } from "../../packages/server/src/platform/db/connect.ts";
import { migrate } from "../../packages/server/src/platform/db/migrate.ts";
import { type Bundle, bundleProgram } from "../support/bundle.ts";
import { type DatabaseMaker, dialects, startDialect } from "../support/postgres.ts";
import { addTaskRows, makeEffects } from "../support/queue-tasks.ts";
import type { WorkerOptions } from "../support/queue-worker.ts";

const tasks = 2000;
const workers = 8;
const kills = 90;
/**
 * How often a task may be begun here. A kill is an attempt of the task that it hits, and chance may
 * hit one task three times: that it is given up then is the product's bound, tried elsewhere.
 */
const maxAttempts = 50;
/** A worker that lives is through with a task long before, also on a busy machine. */
const leaseMs = 2000;

/** Numbers from 0 to 1, the same in each run of the test (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** After which of its claims a worker is killed, and how many ms after that. */
interface Death {
  claim: number;
  ms: number;
}

let worker: Bundle;

beforeAll(async () => {
  worker = await bundleProgram("queue-worker.ts");
});
afterAll(() => worker?.remove());

function start(options: WorkerOptions): ChildProcess {
  return spawn(process.execPath, [worker.file, JSON.stringify(options)], {
    env: { ...process.env, ...worker.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** Lets a worker live until nothing is left to do, or it is killed; returns whether it was. */
async function live(options: WorkerOptions, death: Death | null): Promise<boolean> {
  const child = start(options);
  const closed = once(child, "close");
  let complaint = "";
  child.stderr?.on("data", (chunk) => (complaint += String(chunk)));
  let claims = 0;
  if (!child.stdout) throw new Error("The worker has no output.");
  for await (const line of createInterface({ input: child.stdout })) {
    if (line !== "claim") continue;
    claims += 1;
    if (claims === death?.claim) setTimeout(() => child.kill("SIGKILL"), death.ms);
  }
  const [code, signal] = await closed;
  const killed = signal === "SIGKILL";
  expect({ code, complaint }).toEqual({ code: killed ? null : 0, complaint: "" });
  return killed;
}

describe.each(dialects)("on %s", (dialect) => {
  let maker: DatabaseMaker;

  beforeAll(async () => {
    maker = await startDialect(dialect);
  });
  afterAll(() => maker?.close());

  async function figures({ db }: Database) {
    const { rows } = await sql<Record<string, number>>`select
      (select count(*) from task where status = 'published') as published,
      (select count(*) from task where claim_hash is not null) as held,
      (select sum(attempts) from task) as attempts,
      (select count(*) from task_event where type = 'requeued') as requeued,
      (select count(*) from task_event where type = 'published') as ends,
      (select count(*) from effect) as effects,
      (select count(distinct task_id) from effect) as affected`.execute(db);
    return rows[0] ?? {};
  }

  it("abuse 86: eight workers carry out 2,000 tasks, each exactly once, while 90 workers are killed", async () => {
    const { database, address } = await maker.make();
    await migrate({ database, now: Date.now() });
    await makeEffects(database);
    await addTaskRows(database.db, tasks);
    const random = seeded(86);
    const deaths: (Death | null)[] = Array.from({ length: kills }, () => {
      return { claim: 1 + Math.floor(random() * 15), ms: random() * 6 };
    });
    let killed = 0;

    const slot = async (index: number) => {
      for (let round = 0; ; round += 1) {
        const name = `worker-${index}-${round}`;
        const options = { name, address, leaseMs, maxAttempts, workMs: 6 };
        if (!(await live(options, deaths.shift() ?? null))) return;
        killed += 1;
      }
    };
    await Promise.all(Array.from({ length: workers }, (_, index) => slot(index)));

    expect(killed).toBe(kills);
    const { attempts = 0, requeued = 0, ...rest } = await figures(database);
    const each = { published: tasks, ends: tasks, effects: tasks, affected: tasks };
    expect(rest).toEqual({ ...each, held: 0 });
    // Every claim came to its end or went back into the queue: some kills have hit a task in hand.
    expect(attempts).toBe(tasks + requeued);
    expect(requeued).toBeGreaterThan(kills / 4);
  });
});
