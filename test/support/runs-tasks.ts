import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import {
  type ChangelogEntry,
  listEntries,
} from "../../packages/server/src/features/changelog/store.ts";
import {
  type TaskWorker,
  type TaskWorkerDependencies,
  makeTaskWorker,
} from "../../packages/server/src/features/tasks/worker/task-worker.ts";
import { queueTask, type NewTask } from "../../packages/server/src/features/tasks/queue/queue.ts";
import type { ReviewReason, TaskStatus } from "../../packages/server/src/features/tasks/schema.ts";
import {
  listEvents,
  findTask,
  type TaskRow,
  tables,
} from "../../packages/server/src/features/tasks/store.ts";
import { isoTime } from "../../packages/server/src/kit/time.ts";
import { defaultLimits } from "../../packages/server/src/platform/config.ts";
import { createLog } from "../../packages/server/src/platform/log.ts";
import type { RunsApp, RunsOfProcess } from "./runs-app.ts";

/** A queue on the runs of an app, and what tests want to know of it. */
export interface TestTasks {
  worker: TaskWorker;
  /** The drain of another process. */
  workerOf(runner: RunsOfProcess, given?: Partial<TaskWorkerDependencies>): TaskWorker;
  /** What the review finds from now on. */
  find(...reasons: ReviewReason[]): void;
  create(given?: Partial<NewTask>): Promise<TaskRow>;
  /** Drains until nothing is due, and gives the task as it is then. */
  settled(id: number): Promise<TaskRow>;
  get(id: number): Promise<TaskRow>;
  /** Puts a task as it is into another state. */
  set(id: number, patch: { status?: TaskStatus; claim_hash?: string }): Promise<void>;
  /** Lets what a queued task waits for be over. */
  waited(id: number): Promise<void>;
  /** What happened to it: the names of its events. */
  history(id: number): Promise<string[]>;
  /** What runs have left on the disk: workspaces and artifacts. */
  left(): Promise<string[]>;
  /** The public site's page; null before the first release. */
  page(name: string): Promise<string | null>;
  changelog(): Promise<ChangelogEntry[]>;
}

/** Makes tasks on an app; runs are judged to be fit to go live unless told. */
export function tasksOn(app: RunsApp, given: Partial<TaskWorkerDependencies> = {}): TestTasks {
  const { db, paths, repository, admin } = app;
  const { clock } = admin;
  let reasons: ReviewReason[] = [];
  const workerOf = (runner: RunsOfProcess, more: Partial<TaskWorkerDependencies> = {}) =>
    makeTaskWorker({
      db,
      clock,
      repository,
      paths,
      log: createLog({ level: "silent", name: "test" }),
      events: runner.events,
      runs: runner.runs,
      runnerId: runner.runnerId,
      limits: defaultLimits.tasks,
      tier: "bubblewrap",
      assertSpace: async () => {},
      review: async () => reasons,
      paused: async () => false,
      pollMs: 20,
      ...given,
      ...more,
    });
  const worker = workerOf(app.first);
  const get = async (id: number) => {
    const row = await findTask(db, id);
    if (row === null) throw new Error("This task doesn't exist.");
    return row;
  };
  const names = (dir: string) => readdir(dir).catch(() => [] as string[]);
  return {
    worker,
    workerOf,
    get,
    find: (...found) => void (reasons = found),
    create(more = {}) {
      const task: NewTask = {
        kind: "edit",
        title: "A task",
        instruction: "Change it",
        pageUrl: null,
        projectId: null,
        findingId: null,
        attachments: [],
        priority: 0,
        actor: "Owner",
        ...more,
      };
      return queueTask(db, task, isoTime(clock.now()));
    },
    async settled(id) {
      await worker.run();
      await worker.idle();
      return get(id);
    },
    async set(id, patch) {
      await tables(db).updateTable("task").set(patch).where("id", "=", id).execute();
    },
    async waited(id) {
      const patch = { not_before: null, waiting: null };
      await tables(db).updateTable("task").set(patch).where("id", "=", id).execute();
    },
    history: async (id) => (await listEvents(db, id)).map(({ type }) => type),
    async left() {
      const artifacts = (await names(paths.artifacts)).filter((name) =>
        /^[0-9a-f]{64}$/.test(name),
      );
      return [...(await names(paths.workspaces)), ...artifacts];
    },
    page: (name) => readFile(join(paths.current, name), "utf8").catch(() => null),
    changelog: async () => (await listEntries(db, { limit: 100, offset: 0 })).items,
  };
}
