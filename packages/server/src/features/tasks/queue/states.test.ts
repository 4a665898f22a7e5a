import { array, assert, asyncProperty, constantFrom, nat, tuple } from "fast-check";
import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { makeTestDatabase } from "../../../../../../test/support/database.ts";
import {
  clearTasks,
  addQueuedRun,
  sampleTask,
} from "../../../../../../test/support/queue-tasks.ts";
import { systemClock } from "../../../kit/clock.ts";
import { isoTime } from "../../../kit/time.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { createLog } from "../../../platform/log.ts";
import { makeRunEvents, type RunEvents } from "../../runs/events.ts";
import { findStatus } from "../../runs/store.ts";
import { startWork, type Claim, claimNext, endClaim, requeue, renewClaim } from "./claim.ts";
import { releaseTasksOf } from "./expired-leases.ts";
import { approveTask, cancelTask, queueTask, retryTask, markPublished } from "./queue.ts";
import { taskStatus } from "../schema.ts";
import { listEvents, findTask, type TaskRow, tables } from "../store.ts";
import { activeStatuses, canTransitionTask } from "../task.ts";

/** What anybody may do at any time, to a task and with a claim that may long be lost. */
const acts = [
  "create",
  "claim",
  "begin",
  "ready",
  "renew",
  "wait",
  "again",
  "review",
  "revert",
  "finish",
  "die",
  "cancel",
  "retry",
  "approve",
  "publish",
] as const;
/** Without these nothing else happens. */
const often = ["claim", "begin", "ready", "claim", "begin", "ready"] as const;
type Act = (typeof acts)[number];
/** One way through all the states, which chance alone may miss. */
const through: Act[] = [
  ...(["claim", "begin", "ready", "review", "approve", "publish"] as const),
  ...(["create", "claim", "revert", "create", "cancel"] as const),
  ...(["create", "claim", "again", "claim", "again", "claim", "again"] as const),
];

const maxAttempts = 3;
const endings: ReadonlySet<string> = new Set(["published", "reverted", "failed", "cancelled"]);
const linkWithRun: ReadonlySet<string> = new Set(["building", "needs_review"]);
const closed: ReadonlySet<string> = new Set(["cancelled", "discarded", "interrupted"]);
const clock = systemClock;
const log = createLog({ level: "silent", name: "test", destination: new PassThrough() });
const now = () => isoTime(clock.now());

class World {
  readonly db: Db;
  readonly events: RunEvents;
  readonly ids: number[] = [];
  readonly claims: Claim[] = [];

  constructor(db: Db) {
    this.db = db;
    this.events = makeRunEvents({ db, clock });
  }

  async #start(claim: Claim): Promise<void> {
    const lost = new Error("the claim is lost");
    const started = this.db.transaction().execute(async (trx) => {
      const runId = await addQueuedRun(trx, "running");
      if (!(await startWork(trx, claim, runId))) throw lost;
    });
    await started.catch((error: unknown) => {
      if (error !== lost) throw error;
    });
  }

  /** What runs do to their states, with the tasks that go along. */
  async #moveRun(act: "ready" | "publish", id: number): Promise<void> {
    const runId = (await findTask(this.db, id))?.run_id ?? "";
    if (act === "ready") {
      await this.events.transition(runId, ["running"], { status: "building" });
      await this.events.transition(runId, ["building"], { status: "preview_ready" });
      return;
    }
    if (!(await this.events.transition(runId, ["preview_ready"], { status: "publishing" }))) return;
    await this.events.transition(runId, ["publishing"], { status: "published" }, [], (trx) =>
      markPublished(trx, { runId, commit: "abc" }, now()),
    );
  }

  async #byPerson(act: "cancel" | "retry" | "approve", id: number): Promise<void> {
    const doing = { cancel: cancelTask, retry: retryTask, approve: approveTask }[act];
    await doing({ db: this.db, events: this.events, clock }, id, "Owner").catch(
      (error: { code?: string }) => {
        if (error.code !== "invalid_state") throw error;
      },
    );
  }

  async #byWorker(act: Act, claim: Claim): Promise<void> {
    const { db } = this;
    const exhaustion = { at: now(), maxAttempts, exhausted: "failed" } as const;
    const back = (counts: boolean) =>
      requeue(db, claim, { reason: act, waitMs: 0, counts }, exhaustion);
    if (act === "begin") await this.#start(claim);
    if (act === "renew") await renewClaim(db, claim);
    if (act === "wait") await back(false);
    if (act === "again") await back(true);
    if (act === "review") await endClaim(db, claim, { status: "needs_review", review: [] }, now());
    if (act === "revert") await endClaim(db, claim, { status: "reverted", error: act }, now());
    if (act === "finish") await endClaim(db, claim, { status: "published", commit: act }, now());
    if (act === "die") {
      const release = { db, events: this.events, clock, log, maxAttempts };
      await releaseTasksOf(release, [claim.task.claimed_by ?? ""], "It died.");
    }
  }

  async do(act: Act, pick: number): Promise<void> {
    if (act === "create") this.ids.push((await queueTask(this.db, sampleTask, now())).id);
    if (act === "claim") {
      const worker = `worker-${this.claims.length}`;
      const claim = await claimNext(this.db, { worker, leaseMs: 60_000 });
      if (claim !== null) this.claims.push(claim);
    }
    // The newest more often than others: what is over and long lost is only to be refused.
    const id = this.ids.at(-1 - (pick % this.ids.length));
    const claim = this.claims.at(-1 - (pick % Math.max(1, this.claims.length)));
    if (id !== undefined && (act === "ready" || act === "publish")) await this.#moveRun(act, id);
    if (id !== undefined && (act === "cancel" || act === "retry" || act === "approve")) {
      await this.#byPerson(act, id);
    }
    if (claim !== undefined) await this.#byWorker(act, claim);
  }
}

/** What must hold of a task at any time; gives what doesn't. */
async function faultsOf(db: Db, row: TaskRow, before: TaskRow | undefined): Promise<string[]> {
  const { status } = row;
  const pending = activeStatuses.includes(status);
  const claim = [row.claimed_by, row.claim_hash, row.lease_ms, row.lease_expires_at];
  const over = endings.has(status);
  const from = before?.status ?? status;
  const run = row.run_id === null ? null : await findStatus(db, row.run_id);
  const types = (await listEvents(db, row.id)).map(({ type }) => type);
  const holds = {
    claim: claim.every((value) => (value !== null) === pending),
    attempts: row.attempts <= maxAttempts,
    approval: row.approved_at === null || status === "needs_review",
    end: (row.finished_at !== null) === over,
    transition: from === status || canTransitionTask(from, status),
    published: types.includes("published") === (status === "published"),
    // A worker that gives its task back has ended the run before.
    run: status !== "cancelled" || !linkWithRun.has(from) || run === null || closed.has(run),
  };
  const broken = Object.entries(holds).filter(([, good]) => !good);
  return broken.map(([name]) => `${from} → ${status} (run ${run}): ${name}`);
}

it("keeps every task whole, whatever anybody does in whatever order", async () => {
  await using made = await makeTestDatabase();
  const { db } = made.database;
  const step = tuple(constantFrom(...acts, ...often), nat(2));
  const reached = new Set<string>();
  const property = asyncProperty(array(step, { minLength: 30, maxLength: 60 }), async (steps) => {
    await clearTasks(db);
    const world = new World(db);
    await world.do("create", 0);
    let before = new Map<number, TaskRow>();
    for (const [act, pick] of steps) {
      await world.do(act, pick);
      const rows = await tables(db).selectFrom("task").selectAll().execute();
      for (const row of rows) {
        reached.add(row.status);
        expect(await faultsOf(db, row, before.get(row.id))).toEqual([]);
      }
      before = new Map(rows.map((row) => [row.id, row]));
      const hashes = rows.flatMap(({ claim_hash: hash }) => hash ?? []);
      expect(new Set(hashes).size).toBe(hashes.length);
    }
  });
  const examples: [[Act, number][]][] = [[through.map((act) => [act, 0])]];
  await assert(property, { numRuns: 25, endOnFailure: true, examples });
  expect(reached.size).toBe(taskStatus.options.length);
});
