import { AppError } from "../../kit/errors.ts";
import { isoTime } from "../../kit/time.ts";
import { newUlid, ulidPattern } from "../../kit/ulid.ts";
import { removeWorkspace } from "../workspace/workspace.ts";
import { dropArtifact, type HousekeepingOptions, settleUnfinished, sweep } from "./housekeeping.ts";
import { type PublishingOptions, publishRun } from "./publishing.ts";
import { runOf } from "./record.ts";
import { activeStatuses, invalidState, retryableStatuses } from "./run.ts";
import {
  type Attachment,
  type PickedElement,
  type FileDiff,
  fileDiff,
  type Run,
  type RunEvent,
  type RunStatus,
} from "./schema.ts";
import {
  findDiff,
  findRun,
  insertEvents,
  insertRun,
  listRuns,
  type NewRun,
  type RunRow,
  runsIn,
} from "./store.ts";
import { makeWorker, type Worker, type WorkerOptions } from "./worker.ts";

export type RunsOptions = Omit<WorkerOptions, "publish" | "tidy"> &
  PublishingOptions &
  HousekeepingOptions;

/** What can be done with runs. All that names a run throws `not_found` where there is none. */
export interface Runs {
  /**
   * Begins an edit and returns at once; the work goes on by itself. Throws `throttled` when too many
   * are waiting.
   */
  start(request: {
    instruction: string;
    pageUrl?: string | null | undefined;
    mode?: Run["mode"] | undefined;
    elements?: PickedElement[] | undefined;
    attachments?: Attachment[] | undefined;
    continues?: string | null | undefined;
  }): Promise<{ runId: string }>;
  list(query: {
    page: number;
    perPage: number;
    status?: RunStatus | undefined;
  }): Promise<{ items: Run[]; total: number }>;
  get(runId: string): Promise<Run>;
  diff(runId: string): Promise<{ files: FileDiff[] }>;
  /** Stops a queued or working run and removes its workspace. Throws `invalid_state`. */
  cancel(runId: string): Promise<Run>;
  /** Drops a preview, or closes a failed or interrupted run. Throws `invalid_state`. */
  discard(runId: string): Promise<Run>;
  /** Puts a ready preview before the public; see `publishRun` for what it throws. */
  publish(runId: string): Promise<Run>;
  /** Begins a new run with the same instruction. Throws `invalid_state`. */
  retry(runId: string): Promise<{ runId: string }>;
  /** Begins a run that undoes a published one and publishes that at once. Throws `invalid_state`. */
  restore(runId: string): Promise<{ runId: string }>;
  /** The artifact that a run's preview shows; throws `not_found` when it has none. */
  preview(runId: string): Promise<{ artifactSha: string }>;
  /** Waits until this process has nothing more to do for the run. */
  settled(runId: string): Promise<void>;
  /** Settles what an earlier process left unfinished. To be called once, before anything else. */
  recover(): Promise<void>;
  /** Interrupts what is running, for a shutdown. */
  close(): Promise<void>;
}

/** How many runs may wait or work at the same time. */
const mostActive = 20;

interface Context extends RunsOptions {
  worker: Worker;
}

async function need({ db }: Context, runId: string): Promise<RunRow> {
  const row = ulidPattern.test(runId) ? await findRun(db, runId) : null;
  if (!row) throw new AppError("not_found", "There is no such run.");
  return row;
}

async function get(context: Context, runId: string): Promise<Run> {
  return runOf(await need(context, runId));
}

async function begin(
  context: Context,
  run: Omit<NewRun, "id" | "status" | "created_at">,
): Promise<{ runId: string }> {
  const { db, clock, worker } = context;
  if ((await runsIn(db, activeStatuses)).length >= mostActive) {
    throw new AppError("throttled", "Too many runs are waiting.", {
      headers: { "retry-after": "30" },
    });
  }
  const id = newUlid(clock.now());
  const at = isoTime(clock.now());
  await db.transaction().execute(async (trx) => {
    await insertRun(trx, { ...run, id, status: "queued", created_at: at });
    await insertEvents(trx, id, [{ type: "run.status", data: { status: "queued" } }], at);
  });
  worker.enqueue(id);
  return { runId: id };
}

async function start(context: Context, request: Parameters<Runs["start"]>[0]) {
  const agent = await context.agent();
  return begin(context, {
    kind: "edit",
    mode: request.mode ?? "build",
    instruction: request.instruction,
    page_url: request.pageUrl ?? null,
    restores: null,
    model: agent.model,
    actor: agent.name,
  });
}

async function restore(context: Context, runId: string) {
  const row = await need(context, runId);
  if (row.status !== "published" || row.commit_sha === null) {
    throw invalidState("restored", row.status);
  }
  return begin(context, {
    kind: "restore",
    mode: "build",
    instruction: `Undo “${row.message}”`,
    page_url: row.page_url,
    restores: row.id,
    model: "none",
    actor: context.ownerName,
  });
}

async function retry(context: Context, runId: string) {
  const row = await need(context, runId);
  if (!retryableStatuses.includes(row.status)) throw invalidState("retried", row.status);
  if (row.restores !== null) return restore(context, row.restores);
  return start(context, { instruction: row.instruction, pageUrl: row.page_url, mode: row.mode });
}

async function end(
  context: Context,
  runId: string,
  from: readonly RunStatus[],
  status: "cancelled" | "discarded",
): Promise<void> {
  const { events, clock } = context;
  await need(context, runId);
  const finished: RunEvent = { type: "run.finished", data: { status } };
  const patch = { status, finished_at: isoTime(clock.now()) };
  if (await events.transition(runId, from, patch, [finished])) return;
  throw invalidState(status, (await need(context, runId)).status);
}

async function cancel(context: Context, runId: string): Promise<Run> {
  await end(context, runId, activeStatuses, "cancelled");
  await context.worker.stop(runId);
  return get(context, runId);
}

async function discard(context: Context, runId: string): Promise<Run> {
  await end(context, runId, ["preview_ready", "failed", "interrupted"], "discarded");
  await removeWorkspace(context.repository, runId);
  const { artifact_sha: sha } = await need(context, runId);
  if (sha !== null) await dropArtifact(context, sha);
  await sweep(context);
  return get(context, runId);
}

async function preview(context: Context, runId: string) {
  const row = await need(context, runId);
  const shown = ["preview_ready", "publishing", "published"].includes(row.status);
  if (!shown || row.artifact_sha === null) {
    throw new AppError("not_found", "This run has no preview.");
  }
  return { artifactSha: row.artifact_sha };
}

/** The runs of this instance. The runner process makes one. */
export function makeRuns(options: RunsOptions): Runs {
  const publish = (runId: string) => publishRun(options, runId);
  const worker = makeWorker({ ...options, publish, tidy: () => sweep(options) });
  const context: Context = { ...options, worker };
  return {
    start: (request) => start(context, request),
    async list(query) {
      const { rows, total } = await listRuns(context.db, query);
      return { items: rows.map(runOf), total };
    },
    get: (runId) => get(context, runId),
    async diff(runId) {
      await need(context, runId);
      return { files: fileDiff.array().parse(JSON.parse(await findDiff(context.db, runId))) };
    },
    cancel: (runId) => cancel(context, runId),
    discard: (runId) => discard(context, runId),
    async publish(runId) {
      await need(context, runId);
      await publish(runId);
      return get(context, runId);
    },
    retry: (runId) => retry(context, runId),
    restore: (runId) => restore(context, runId),
    preview: (runId) => preview(context, runId),
    settled: (runId) => worker.settled(runId),
    async recover() {
      await options.publisher.recover();
      await settleUnfinished(options);
      await sweep(options);
    },
    close: () => worker.close(),
  };
}
