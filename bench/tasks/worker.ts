/**
 * One of the processes that `run.ts` measures: prints `ready`, starts when it receives a line on
 * standard input, works until nothing is left, and prints how many tasks it handled.
 */
import { once } from "node:events";
import { DatabaseSync } from "node:sqlite";
import { Client } from "pg";
import { claimNext, endClaim } from "../../packages/server/src/features/tasks/queue/claim.ts";
import { findTask } from "../../packages/server/src/features/tasks/store.ts";
import { openDatabase } from "../../packages/server/src/platform/db/connect.ts";

/** `bare` and `ours` claim; `finish` and `graphile` also note that the work is done. */
export type Mode = "bare" | "ours" | "finish" | "graphile";

const [mode = "ours", url = "", file = ""] = process.argv.slice(2);

/** Takes one task; returns false when there was none. */
type Step = () => Promise<boolean> | boolean;
interface Loop {
  step: Step;
  close(): Promise<void>;
}

const bare = (lock: string) => `update task set status = 'claimed', claim_hash = 'x'
  where id = (select id from task where status = 'queued' order by priority desc, id limit 1 ${lock})
  returning id`;

async function bareLoop(): Promise<Loop> {
  if (url !== "") {
    const client = new Client({ connectionString: url });
    await client.connect();
    const query = { name: "claim", text: bare("for update skip locked") };
    return {
      step: async () => (await client.query(query)).rows.length > 0,
      close: () => client.end(),
    };
  }
  const database = new DatabaseSync(file, { timeout: 30_000 });
  database.exec("pragma journal_mode = wal; pragma synchronous = full");
  const statement = database.prepare(bare(""));
  return { step: () => statement.get() !== undefined, close: async () => database.close() };
}

async function ourLoop(finishes: boolean): Promise<Loop> {
  const { db, close } = openDatabase({ url: url === "" ? null : url, file });
  // The bare loop also connects before timing starts.
  await findTask(db, 0);
  const worker = `bench-${process.pid}`;
  return {
    close,
    async step() {
      const claim = await claimNext(db, { worker, leaseMs: 60_000 });
      if (claim !== null && finishes) {
        const at = new Date().toISOString();
        if (!(await endClaim(db, claim, { status: "published", commit: "abc" }, at))) {
          throw new Error("A claim was lost.");
        }
      }
      return claim !== null;
    },
  };
}

async function work(): Promise<number> {
  let done = 0;
  if (mode === "graphile") {
    const { Logger, runOnce } = await import("graphile-worker");
    const noop = async () => void (done += 1);
    await runOnce({
      connectionString: url,
      concurrency: 1,
      noHandleSignals: true,
      taskList: { noop },
      // Its log line for every job is work that the others don't do.
      logger: new Logger(() => () => {}),
    });
    return done;
  }
  while (await loop.step()) done += 1;
  return done;
}

const loop = await (mode === "bare" ? bareLoop() : ourLoop(mode === "finish"));
process.stdout.write("ready\n");
await once(process.stdin, "data");
const before = process.cpuUsage();
const done = await work();
const { user, system } = process.cpuUsage(before);
process.stdout.write(`done ${done} ${Math.round((user + system) / 1000)}\n`);
process.stdin.destroy();
await loop.close();
