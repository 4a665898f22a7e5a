import { join } from "node:path";
import type { AdminGuard } from "../features/admin-auth/guard.ts";
import { filesOf, findMedia } from "../features/media/store.ts";
import type { SiteBuilder } from "../features/release/builder/build.ts";
import type { RecordPreviews } from "../features/release/record-preview.ts";
import type { PrivateGate } from "../features/release/private/private-gate.ts";
import { assertSpaceForChange } from "../features/release/publish-check.ts";
import { currentRelease, releasePath } from "../features/release/current-symlink.ts";
import { makeRunEvents, type RunEvents } from "../features/runs/events.ts";
import type { Runs } from "../features/runs/runs.ts";
import type { Registry } from "../features/runs/runners/registry.ts";
import { countAliveRunners } from "../features/runs/runners/store.ts";
import { ownerEmail } from "../features/settings/email/email-settings.ts";
import { registerTasks } from "../features/tasks/api.ts";
import {
  type TaskWorker,
  makeTaskWorker,
  type ReviewJob,
} from "../features/tasks/worker/task-worker.ts";
import { makeTaskNotifications } from "../features/tasks/notifications/notifications.ts";
import { makeQueuePause, type QueuePause } from "../features/tasks/pause.ts";
import { queueState } from "../features/tasks/board/queue-state.ts";
import { privateReasons } from "../features/tasks/review/private-reason.ts";
import { reviewChange } from "../features/tasks/review/review.ts";
import { mediaFolder } from "../features/workspace/content-paths.ts";
import type { Repository } from "../features/workspace/git.ts";
import type { DiskQuota } from "../platform/disk-quota.ts";
import type { AppServer } from "../platform/http/server.ts";
import { type Agents, readUsableModel } from "./agents.ts";
import { repeat } from "./repeat.ts";
import type { Instance } from "./instance.ts";
import { openOutbox } from "./email.ts";
import { reviewBrowserInTurn } from "./review-browser.ts";
import { openSiteSlots } from "./site-slots.ts";

/** How often to check for dead runners and due emails, in ms. */
const pollIntervalMs = 5000;

/** The runner's task queue. */
export interface RunnerTaskQueue {
  worker: TaskWorker;
  pause: QueuePause;
  /** Takes back what dead runners held; then starts. */
  start(): Promise<void>;
  /** Gives back running tasks immediately. Call before closing the runs. */
  close(): Promise<void>;
}

/** Compares a task's build with what visitors see now. */
function makeReview({ config, database: { db }, shared }: Instance, gate: PrivateGate) {
  const { paths, limits, baseUrl } = config;
  return async ({ artifactSha, attachments, ...job }: ReviewJob) => {
    const live = await currentRelease(paths);
    await shared?.artifacts.get(artifactSha);
    const artifactDir = join(paths.artifacts, artifactSha);
    const leaks = privateReasons(await gate.compare(artifactDir, job.signal));
    const media = await Promise.all(attachments.map((id) => findMedia(db, id)));
    const attachedImages = media.flatMap((one) =>
      one ? [{ paths: filesOf(one), alt: one.alt }] : [],
    );
    const reasons = await reviewChange({
      ...job,
      attachedImages,
      mediaDir: join(paths.content, mediaFolder),
      browser: reviewBrowserInTurn(openSiteSlots(config).browser),
      artifactDir,
      liveDir: live === null ? null : releasePath(paths, live),
      limits: limits.tasks,
      baseUrl,
    });
    return [...leaks, ...reasons];
  };
}

/** What executing tasks needs from the runner. */
interface TaskQueueDependencies {
  events: RunEvents;
  runs: Runs;
  repository: Repository;
  gate: PrivateGate;
  builder: Pick<SiteBuilder, "tier">;
  agents: Agents;
  registry: Registry;
  previews: Pick<RecordPreviews, "recover">;
  quota: DiskQuota;
}

export function openTasks(instance: Instance, deps: TaskQueueDependencies): RunnerTaskQueue {
  const { config, database, clock, log } = instance;
  const { db } = database;
  const { runs, registry, agents } = deps;
  const { settings } = agents;
  const pause = makeQueuePause(settings);
  const worker = makeTaskWorker({
    ...deps,
    db,
    clock,
    log,
    paths: config.paths,
    runnerId: registry.id,
    limits: config.limits.tasks,
    tier: deps.builder.tier,
    assertSpace: () => assertSpaceForChange(config.paths, deps.quota),
    review: makeReview(instance, deps.gate),
    paused: () => pause.get(),
  });
  const outbox = openOutbox(instance);
  const to = () => ownerEmail(settings);
  const notifications = makeTaskNotifications({ db, clock, log, outbox, to });
  /** Recovers everything that dead runners held; only then are they forgotten. */
  async function recoverDeadRunners(): Promise<void> {
    const gone = await registry.listGone();
    await runs.recoverAbandoned();
    await worker.recover(gone);
    if (gone.length > 0) await deps.previews.recover();
    await registry.deleteGone(gone);
  }
  const recovery = repeat(recoverDeadRunners, {
    everyMs: pollIntervalMs,
    onError: (error) => log.error({ err: error }, "couldn't clean up after dead runners yet"),
  });
  const emailChecks = repeat(() => notifications.sendDue(), {
    everyMs: pollIntervalMs,
    onError: (error) => log.error({ err: error }, "couldn't check whether an email is due"),
  });
  return {
    worker,
    pause,
    async start() {
      await recoverDeadRunners();
      worker.start();
      recovery.start();
      emailChecks.start();
    },
    async close() {
      // Together, because delivering an email must not use up the time to give back tasks.
      await Promise.all([worker.close(), recovery.close(), emailChecks.close()]);
    },
  };
}

/** The state of the queue for the health check. */
export function queueHealth({ database }: Instance, { settings }: Agents) {
  const { db } = database;
  const deps = { pause: makeQueuePause(settings), runners: () => countAliveRunners(db) };
  return () => queueState(db, deps);
}

/** The task queue API, in the web process. */
export function registerTaskQueue(
  app: AppServer,
  { config, database, clock }: Instance,
  deps: { guard: AdminGuard; agents: Agents; wake: () => void },
): void {
  const { db } = database;
  registerTasks(app, {
    guard: deps.guard,
    db,
    clock,
    events: makeRunEvents({ db, clock }),
    maxAttempts: config.limits.tasks.attempts,
    pause: makeQueuePause(deps.agents.settings),
    runners: () => countAliveRunners(db),
    get ownerName() {
      return config.owner.name;
    },
    model: () => readUsableModel(deps.agents),
    wake: deps.wake,
  });
}
