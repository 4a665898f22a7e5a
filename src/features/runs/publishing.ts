import { join } from "node:path";
import type { Clock } from "../../kit/clock.ts";
import { AppError, toAppError } from "../../kit/errors.ts";
import { isoTime } from "../../kit/time.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { Log } from "../../platform/log.ts";
import { isStored } from "../release/artifact/whole-artifacts.ts";
import type { Artifact } from "../release/builder/build.ts";
import type { Publisher, PublishRequest } from "../release/publish.ts";
import type { PrivateRefusal } from "../release/private/schema.ts";
import type { PublishHooks } from "../release/settle.ts";
import { audienceHash } from "../release/export.ts";
import { overRebuilds } from "../release/pending.ts";
import { findIntent } from "../release/store.ts";
import { mainHead, type Repository } from "../workspace/git.ts";
import { leaveWorkspace, openWorkspace, type Workspace } from "../workspace/workspace.ts";
import type { RunEvents } from "./events.ts";
import { saveReport } from "./check-store.ts";
import { insertEvents } from "./event-store.ts";
import { type BuildGateOptions, makeBuildGate } from "./build-gate.ts";
import { assertSeen, inspectBuild } from "./inspection.ts";
import { changeIn } from "./record.ts";
import { findRequest, type RunRequest } from "./request-store.ts";
import { invalidState } from "./run.ts";
import { ownersOf, setOwner } from "./runners/store.ts";
import type { BuildReport, RunEvent } from "./schema.ts";
import { findRun, findStatus, holdRun, type RunRow, swapStatus, updateRun } from "./store.ts";
import type { Surroundings } from "./surroundings.ts";
import { type TaskOfRun, taskOfRun } from "./task-store.ts";

export interface PublishingOptions extends BuildGateOptions, Pick<Surroundings, "inspect"> {
  db: Db;
  log: Log;
  clock: Clock;
  events: RunEvents;
  repository: Repository;
  publisher: Publisher;
  artifactsDir: string;
  runnerId: string;
}

/**
 * What the publisher tells the runs: that a run is live, in the transaction that makes it so, or
 * that its publish was taken back. To be passed to `makePublisher`.
 */
export function makePublishHooks(options: {
  db: Db;
  clock: Clock;
  events: RunEvents;
}): PublishHooks {
  const { db, clock, events } = options;
  return {
    async onPublished(trx, { runId, commit, release }) {
      const at = isoTime(clock.now());
      const row = await findRun(trx, runId);
      // Ready: a runner that was taken for dead while it began has published it after all.
      const won = await swapStatus(trx, runId, ["publishing", "preview_ready"], {
        status: "published",
        commit_sha: commit,
        release_number: release,
        error: null,
        finished_at: at,
      });
      if (!row || !won) return;
      const finished: RunEvent = {
        type: "run.finished",
        data: { status: "published", commit, message: row.message },
      };
      const status: RunEvent = { type: "run.status", data: { status: "published" } };
      await insertEvents(trx, runId, [status, finished], at);
    },
    async onRolledBack({ runId }) {
      if ((await findStatus(db, runId)) !== "publishing") return;
      await events.transition(runId, ["publishing"], { status: "preview_ready" });
    },
  };
}

/** The artifact that a run's preview shows. */
function artifactOf(row: RunRow, artifactsDir: string): Artifact {
  if (row.artifact_sha === null || row.artifact_stats === null) {
    throw new AppError("internal", `Run ${row.id} is ready without an artifact.`);
  }
  const stats = JSON.parse(row.artifact_stats) as Omit<Artifact, "sha" | "dir">;
  return { ...stats, sha: row.artifact_sha, dir: join(artifactsDir, row.artifact_sha) };
}

/**
 * Puts a run that is ready before the public. When the site's records have changed since the preview
 * was built, or `main` has moved, or the preview's files are gone, the same changes are built anew
 * with what is there now.
 */
async function publishReady(
  options: PublishingOptions,
  row: RunRow,
  how: PublishOptions,
): Promise<void> {
  const { db, events, repository, publisher } = options;
  const audience = await audienceHash(db);
  const change = changeIn(row);
  const gate = makeBuildGate(options);
  const workspace = await openWorkspace(repository, row.id);
  let artifact = artifactOf(row, options.artifactsDir);
  let tree = row.workspace_tree ?? undefined;
  const rebuild = async (at: Workspace): Promise<Artifact> => {
    events.emit(row.id, { type: "build.started", data: { attempt: 1 } });
    const job = { workspace: at, change, ...(how.signal && { signal: how.signal }) };
    ({ artifact, tree } = await gate.build(job));
    const { pages, bytes, durationMs } = artifact;
    events.emit(row.id, { type: "build.passed", data: { attempt: 1, pages, bytes, durationMs } });
    await events.flush(row.id);
    return artifact;
  };
  // Where `main` has moved the publisher asks for a build anyway, after it has merged.
  const onMain = (await mainHead(repository)) === workspace.baseCommit;
  const isShown = async () =>
    (await isStored(artifact.dir)) &&
    (await gate.snapshotHash({ workspace, change })) === row.snapshot_hash;
  if (onMain && !(await isShown())) await rebuild(workspace);
  await publisher.publish({
    runId: row.id,
    workspace,
    artifact,
    ...(tree === undefined ? {} : { tree }),
    ...confirmedPrivate(options, row, how),
    message: row.message,
    actor: row.actor,
    trailers: {
      ...trailersOf(row, await findRequest(db, row.id)),
      ...taskTrailers(await taskOfRun(db, row.id), how),
    },
    ...(how.waitMs === undefined ? {} : { waitMs: how.waitMs }),
    signal: how.signal,
    async begin(transaction) {
      if (!(await holdRun(transaction, row.id, ["publishing"]))) throw new PublishLost();
      await assertOurs(options, transaction, row.id);
      if ((await audienceHash(transaction)) !== audience) throw new AudienceChanged();
    },
    async rebuild(at) {
      const built = await rebuild(at);
      if (built.sha === row.artifact_sha) return built;
      const report = await checkAgain({ ...options, ...how }, row.id, built);
      await how.judge?.({ artifactSha: built.sha, report });
      return built;
    },
    changelog: change,
  });
  if (artifact.sha !== row.artifact_sha)
    await updateRun(db, row.id, { artifact_sha: artifact.sha });
}

/** What the owner has confirmed of private text, which the run's events then tell. */
function confirmedPrivate(
  { events }: PublishingOptions,
  row: RunRow,
  { confirmPrivate = null, approvedBy }: PublishOptions,
): Pick<PublishRequest, "confirmPrivate" | "onPrivate"> {
  return {
    confirmPrivate,
    async onPrivate({ findings, total }) {
      const by = approvedBy ?? row.actor;
      events.emit(row.id, { type: "private.confirmed", data: { findings, total, by } });
      await events.flush(row.id);
    },
  };
}

/** What is for everybody has become something else while a publish waited for its turn. */
class AudienceChanged extends AppError {
  constructor() {
    super("conflict", "It was changed meanwhile whom projects are for. Publish again.");
  }
}

/** How often a publish begins anew because of that. */
const mostChanges = 3;

/**
 * The same, and never with what has stopped being for everybody since: a rebuild without it may have
 * gone live while this waited.
 */
async function publishPresent(
  options: PublishingOptions,
  row: RunRow,
  how: PublishOptions,
): Promise<void> {
  for (let n = 1; ; n += 1) {
    try {
      return await publishReady(options, row, how);
    } catch (error) {
      if (!(error instanceof AudienceChanged) || n >= mostChanges) throw error;
    }
  }
}

/**
 * Has what a merge has made checked as the preview was. New findings stand in nobody's way, blank
 * pages do: throws BlankPages. Gives null when the checks could not be made.
 */
async function checkAgain(
  options: PublishingOptions & Pick<PublishOptions, "signal">,
  runId: string,
  artifact: Artifact,
): Promise<BuildReport | null> {
  const { db, clock, events } = options;
  const say = (event: RunEvent) => events.emit(runId, event);
  const report = await inspectBuild({ ...options, runId, say }, artifact);
  await events.flush(runId);
  assertSeen(report);
  if (report === null) return null;
  const at = isoTime(clock.now());
  await saveReport(db, runId, { artifactSha: artifact.sha, report, at });
  return report;
}

function trailersOf(row: RunRow, { restore }: RunRequest): Record<string, string> {
  const facts = { Run: row.id, Actor: row.actor };
  if (row.restores === null) return facts;
  const mode: Record<string, string> = restore === "version" ? { "Restore-Mode": "version" } : {};
  return { ...facts, Restores: row.restores, ...mode };
}

/** What a commit says of the queue that it came by, and of the person who let it go live. */
function taskTrailers(
  task: TaskOfRun | null,
  { approvedBy = null }: PublishOptions,
): Record<string, string> {
  if (task === null) return {};
  const facts = { "Published-Via": "task-queue", Task: String(task.id) };
  return approvedBy === null ? facts : { ...facts, "Approved-By": approvedBy };
}

/** Whether the publisher has begun with the run and not ended: it will settle that itself. */
export async function isUnderWay(db: Db, runId: string): Promise<boolean> {
  const intent = await findIntent(db, runId);
  return intent !== undefined && intent.state !== "done";
}

/** This runner was taken for dead, and its publish was settled by another one. */
export class PublishLost extends AppError {
  constructor() {
    super("invalid_state", "Another process has taken this publish over. Try again.");
  }
}

/** In a transaction that holds the run: throws PublishLost unless this runner publishes it. */
async function assertOurs(
  { runnerId }: Pick<PublishingOptions, "runnerId">,
  transaction: Db,
  runId: string,
): Promise<void> {
  const owner = (await ownersOf(transaction, [runId])).get(runId);
  if (owner !== runnerId) throw new PublishLost();
}

/** How a run is published. */
export interface PublishOptions {
  /** Joins the transaction that begins it: throws, and nothing has happened. */
  along?(transaction: Db): Promise<void>;
  /**
   * Asked about the build that goes live where that is another one than the preview, because `main`
   * has moved. Throws to refuse it.
   */
  judge?(build: { artifactSha: string; report: BuildReport | null }): Promise<void>;
  /** The fingerprint of private texts that the owner was shown and lets go live. */
  confirmPrivate?: string | null;
  /** The person who lets a task's run go live; null where nobody was asked. */
  approvedBy?: string | null;
  /** How long it waits for another publish, in ms; as long as the publisher does unless told. */
  waitMs?: number;
  /** Gives up waiting, building and checking, with its reason; the run is then ready again. */
  signal?: AbortSignal;
}

/**
 * Publishes a run. Throws `not_found`, `invalid_state`, and what stands in the way: `conflict`,
 * `dirty_tree`, BuildFailed, PrivateTextFound; the run is then ready again, with the reason in its record.
 */
export async function publishRun(
  options: PublishingOptions,
  runId: string,
  how: PublishOptions = {},
): Promise<void> {
  const { db, events } = options;
  const claim = { status: "publishing", error: null } as const;
  const joining = async (transaction: Db) => {
    // Whoever publishes it may be another runner than the one that made it.
    await setOwner(transaction, runId, options.runnerId);
    await how.along?.(transaction);
  };
  if (!(await events.transition(runId, ["preview_ready"], claim, [], joining))) {
    const status = await findStatus(db, runId);
    if (status === null) throw new AppError("not_found", "There is no such run.");
    throw invalidState("published", status);
  }
  const row = await findRun(db, runId);
  if (!row) throw new AppError("not_found", "There is no such run.");
  const meanwhile = { reason: "a run was published meanwhile", now: () => options.clock.now() };
  try {
    await overRebuilds(db, meanwhile, () => publishPresent(options, row, how));
  } catch (error) {
    if (error instanceof PublishLost || (await isUnderWay(db, runId))) throw error;
    const { message, code, details } = toAppError(error);
    const files = (details as { files?: string[] } | undefined)?.files ?? [];
    const conflict = code === "conflict" && files.length > 0 ? { conflict: files } : {};
    const found = code === "private_text" ? { private: details as PrivateRefusal } : {};
    const refused: RunEvent = { type: "error", data: { message, ...conflict, ...found } };
    const back = { status: "preview_ready", error: message } as const;
    await events.transition(runId, ["publishing"], back, [refused], (transaction) =>
      assertOurs(options, transaction, runId),
    );
    throw error;
  }
  events.notify(runId);
  await leaveWorkspace(options.repository, runId);
}
