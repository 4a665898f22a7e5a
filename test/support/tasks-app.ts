import { sql } from "kysely";
import pino from "pino";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { createApiToken } from "../../packages/server/src/features/admin-auth/api-tokens.ts";
import { makeAdminGuard } from "../../packages/server/src/features/admin-auth/guard.ts";
import type { UsableModel } from "../../packages/server/src/features/agent/model-choice.ts";
import { insertMedia } from "../../packages/server/src/features/media/store.ts";
import { makeProjects } from "../../packages/server/src/features/projects/projects.ts";
import { makeRunEvents, type RunEvents } from "../../packages/server/src/features/runs/events.ts";
import {
  insertRun,
  type RunPatch,
  updateRun,
} from "../../packages/server/src/features/runs/store.ts";
import { makeSettings } from "../../packages/server/src/features/settings/settings.ts";
import { registerTasks } from "../../packages/server/src/features/tasks/api.ts";
import {
  startWork,
  type Claim,
  claimNext,
  endClaim,
  type TaskEnd,
} from "../../packages/server/src/features/tasks/queue/claim.ts";
import { makeQueuePause, type QueuePause } from "../../packages/server/src/features/tasks/pause.ts";
import { insertRunTask } from "../../packages/server/src/features/runs/task-store.ts";
import type { RunStatus } from "../../packages/server/src/features/runs/schema.ts";
import type { Task, TaskStatus } from "../../packages/server/src/features/tasks/schema.ts";
import { sha256Hex } from "../../packages/server/src/kit/hash.ts";
import { isoTime } from "../../packages/server/src/kit/time.ts";
import { newUlid } from "../../packages/server/src/kit/ulid.ts";
import type { Db, Dialect } from "../../packages/server/src/platform/db/connect.ts";
import { migrate } from "../../packages/server/src/platform/db/migrate.ts";
import { createHttpServer } from "../../packages/server/src/platform/http/server.ts";
import { loadKeys, createKeys } from "../../packages/server/src/platform/secrets.ts";
import { adminCookie, type Answer, makeAsk } from "./admin-session.ts";
import { type FakeClock, fakeClock } from "./clock.ts";
import { type DatabaseMaker, startDialect } from "./postgres.ts";
import { tempFolder } from "./temp.ts";

export interface TasksApp extends AsyncDisposable {
  db: Db;
  clock: FakeClock;
  events: RunEvents;
  pause: QueuePause;
  url: string;
  /** The headers of the signed-in admin. */
  session: Record<string, string>;
  /** How often the runner was woken, and what waking throws. */
  wakeCount: { times: number; error?: Error };
  /** How many runners are said to live. */
  runners: number;
  /** What the model in use can do. */
  model: UsableModel;
  /** Forgets all records, as if nothing had been asked for. */
  clear(): Promise<void>;
  /** Asks as the signed-in admin, or with these headers instead. */
  ask<T>(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer<T>>;
  create(fields?: object): Promise<Task>;
  /** A task in this state, come to it as tasks do, with its run where it has one. */
  taskIn(status: TaskStatus): Promise<number>;
  token(name: string, scopes: string[]): Promise<Record<string, string>>;
  addImage(name: string, kind?: "image" | "video"): Promise<number>;
  addProject(name: string): Promise<number>;
  claim(worker?: string): Promise<Claim>;
  /** Begins a run of the claimed task and lets it come to a state; gives its id. */
  start(claim: Claim, status?: RunStatus, patch?: RunPatch): Promise<string>;
}

async function addImage(db: Db, name: string, kind: "image" | "video"): Promise<number> {
  const sha256 = sha256Hex(name);
  await insertMedia(db, {
    kind,
    src: `/media/2026/${sha256.slice(0, 12)}-${name}.webp`,
    originalName: `${name}.png`,
    mime: "image/webp",
    bytes: 10,
    originalBytes: 1000,
    width: 800,
    height: 600,
    duration: null,
    hasAlpha: false,
    animated: false,
    poster: null,
    placeholder: null,
    variants: [],
    sha256,
    alt: "",
    createdAt: isoTime(Date.UTC(2026, 0, 1)),
  });
  const { id } = await db
    .withTables<{ media: { id: number; sha256: string } }>()
    .selectFrom("media")
    .select("id")
    .where("sha256", "=", sha256)
    .executeTakeFirstOrThrow();
  return id;
}

async function startRun(
  { db, clock }: { db: Db; clock: FakeClock },
  claim: Claim,
  patch: RunPatch,
): Promise<string> {
  const id = newUlid(clock.now());
  await insertRun(db, {
    id,
    kind: "edit",
    mode: "build",
    instruction: claim.task.instruction,
    page_url: null,
    restored_run_id: null,
    status: patch.status ?? "running",
    model: "test",
    actor: "Editor",
    created_at: isoTime(clock.now()),
  });
  const { status: _, ...rest } = patch;
  if (Object.keys(rest).length > 0) await updateRun(db, id, rest);
  await insertRunTask(db, id, { id: claim.taskId, attempt: claim.task.attempts });
  if (!(await startWork(db, claim, id))) throw new Error("The claim is lost.");
  return id;
}

/** How each end is come to. */
const endings: Record<"published" | "needs_review" | "reverted" | "failed", TaskEnd> = {
  published: { status: "published", commit: "a".repeat(40) },
  needs_review: { status: "needs_review", review: [] },
  reverted: { status: "reverted", error: "The build was refused." },
  failed: { status: "failed", error: "Its worker died." },
};

/** The state of the run of a task that is in a state. */
const runs = {
  building: "running",
  published: "published",
  needs_review: "preview_ready",
  reverted: "failed",
  failed: "failed",
} as const;

/** A listening server with the tasks' API over a new database of the maker's. */
export async function startTasksApp(maker: DatabaseMaker): Promise<TasksApp> {
  const folder = await tempFolder();
  const { database } = await maker.make();
  const { db } = database;
  const clock = fakeClock(Date.now());
  await migrate({ database, now: clock.now() });
  const guard = makeAdminGuard({ db, clock, config: { baseUrl: "http://localhost:3000" } });
  await createKeys(folder.path);
  const { settings: keyring } = await loadKeys(folder.path);
  const pause = makeQueuePause(makeSettings({ db, keyring, clock }));
  const events = makeRunEvents({ db, clock });
  const projects = makeProjects({
    ownerName: "Mara",
    db,
    clock,
    mediaRoot: folder.path,
    onChange: async () => {},
  });
  const log = pino({ level: "silent" });
  const server = createHttpServer({ log, name: "test", secure: false });
  registerTasks(server, {
    guard,
    db,
    clock,
    events,
    pause,
    maxAttempts: 3,
    ownerName: "Ada",
    runners: async () => app.runners,
    model: async () => app.model,
    wake() {
      app.wakeCount.times += 1;
      if (app.wakeCount.error) throw app.wakeCount.error;
    },
  });
  const url = await server.listen({ host: "127.0.0.1", port: 0 });
  const cookie = await adminCookie(db, clock, guard.cookie.name);
  const ask = makeAsk(`${url}/api/admintasks`, cookie);

  async function taskIn(status: TaskStatus): Promise<number> {
    const { id } = await app.create();
    if (status === "queued") return id;
    if (status === "cancelled") {
      await ask("/cancel", { id });
      return id;
    }
    const claim = await app.claim();
    if (claim.taskId !== id) throw new Error("Another task was due.");
    if (status === "claimed") return id;
    await app.start(claim, runs[status]);
    if (status === "building") return id;
    await endClaim(db, claim, endings[status], isoTime(clock.now()));
    return id;
  }

  const app: TasksApp = {
    db,
    clock,
    events,
    pause,
    url,
    session: { cookie },
    wakeCount: { times: 0 },
    runners: 1,
    model: { canBuild: true, canSee: true },
    async clear() {
      for (const table of ["task", "run", "project", "media", "setting", "api_token"]) {
        await sql`delete from ${sql.table(table)}`.execute(db);
      }
      app.wakeCount = { times: 0 };
      app.runners = 1;
      app.model = { canBuild: true, canSee: true };
    },
    ask,
    async create(fields = {}) {
      const { status, data, text } = await ask<Task>("/create", {
        instruction: "Do it",
        ...fields,
      });
      if (status !== 201) throw new Error(text);
      return data;
    },
    taskIn,
    async token(name, scopes) {
      const { token } = await createApiToken({ db, clock, name, scopes });
      return { authorization: `Bearer ${token}` };
    },
    addImage: (name, kind = "image") => addImage(db, name, kind),
    addProject: async (name) => (await projects.create({ name })).id,
    async claim(worker = "runner") {
      const claim = await claimNext(db, { worker, leaseMs: 60_000 });
      if (!claim) throw new Error("Nothing is due.");
      return claim;
    },
    start: (claim, status = "running", patch = {}) =>
      startRun({ db, clock }, claim, { ...patch, status }),
    async [Symbol.asyncDispose]() {
      await server.close();
      await folder.remove();
    },
  };
  return app;
}

/** Gives each test of a file the tasks' API on one database, as if nothing had been asked for. */
export function useTasksApp(dialect: Dialect, give: (app: TasksApp) => void): void {
  let maker: DatabaseMaker;
  let app: TasksApp;
  beforeAll(async () => {
    maker = await startDialect(dialect);
    app = await startTasksApp(maker);
    give(app);
  });
  afterAll(async () => {
    await app?.[Symbol.asyncDispose]();
    await maker?.close();
  });
  beforeEach(() => app.clear());
}
