import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { cp, mkdir } from "node:fs/promises";
import { type IncomingMessage, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text as readText } from "node:stream/consumers";
import type { Agent } from "../../packages/server/src/features/agent/agent.ts";
import { isSessionAlive } from "../../packages/server/src/features/admin-auth/sessions.ts";
import {
  makePreviewTickets,
  type PreviewTickets,
} from "../../packages/server/src/features/admin-auth/ticket.ts";
import { addEntry } from "../../packages/server/src/features/changelog/entry.ts";
import type { SiteBuilder } from "../../packages/server/src/features/release/builder/build.ts";
import { exportSite } from "../../packages/server/src/features/release/export.ts";
import {
  makePublisher,
  type Publisher,
  type PublisherDependencies,
} from "../../packages/server/src/features/release/publish.ts";
import {
  makeRecordPreviews,
  type RecordPreviews,
} from "../../packages/server/src/features/release/record-preview.ts";
import type {
  PrivateGate,
  PrivateGateDependencies,
} from "../../packages/server/src/features/release/private/private-gate.ts";
import type { PublishHooks } from "../../packages/server/src/features/release/finalize.ts";
import { makeRunEvents, type RunEvents } from "../../packages/server/src/features/runs/events.ts";
import { makeRuns, type Runs } from "../../packages/server/src/features/runs/runs.ts";
import { currentRelease } from "../../packages/server/src/features/release/current-symlink.ts";
import { registerRecordPreviews } from "../../packages/server/src/features/release/runner.ts";
import { registerRunPreview } from "../../packages/server/src/features/runs/routes/preview.ts";
import { makePublishHooks } from "../../packages/server/src/features/runs/publish-run.ts";
import { makeTaskHooks } from "../../packages/server/src/features/tasks/worker/run-hooks.ts";
import { guardRunner, registerRunRoutes } from "../../packages/server/src/features/runs/runner.ts";
import {
  makeRepository,
  type Repository,
} from "../../packages/server/src/features/workspace/git.ts";
import { initRepository } from "../../packages/server/src/features/workspace/init.ts";
import { defaultLimits } from "../../packages/server/src/platform/config.ts";
import type { Db } from "../../packages/server/src/platform/db/connect.ts";
import { createHttpServer } from "../../packages/server/src/platform/http/server.ts";
import { createLog } from "../../packages/server/src/platform/log.ts";
import { type InstancePaths, instancePaths } from "../../packages/server/src/platform/paths.ts";
import { type AdminApp, type Answer, type Ask, startAdminApp } from "./admin.ts";
import { type OutsideDependencies, stubDependencies } from "./runs-dependencies.ts";
import { type CopyingBuilder, copyingBuilder, writeContent } from "./runs-site.ts";
import { tempFolder } from "./temp.ts";
import { testWorkers } from "./workers.ts";

export const runnerKey = "k".repeat(43);
const baseUrl = "http://localhost:3000";

export interface RunsApp extends AsyncDisposable {
  admin: AdminApp;
  db: Db;
  paths: InstancePaths;
  repository: Repository;
  builder: CopyingBuilder;
  events: RunEvents;
  runs: Runs;
  /** The process that `runs` and `events` are of. */
  first: RunsOfProcess;
  recordPreviews: RecordPreviews;
  tickets: PreviewTickets;
  /** Where the runner listens. */
  url: string;
  /** The Cookie header of a signed-in admin. */
  cookie: string;
  /** Asks the runner as the gate does for the signed-in admin. */
  ask(path: string, options?: Ask): Promise<Answer>;
  /** Starts an edit with this agent and waits until there is nothing more to do. */
  edit(agent: Agent, instruction?: string, mode?: "build" | "ask"): Promise<string>;
  /** The agent that the next run gets. */
  use(agent: Agent): void;
  /** The runs as another process, started later on the same instance, would make them. */
  another(publishing?: Partial<PublisherDependencies>): RunsOfProcess;
  git(...args: string[]): Promise<string>;
  /** Closes the runner's server, as a shutdown does. */
  closeServer(): Promise<void>;
  cleanup(): Promise<void>;
}

/** What one runner process has of its own. */
export interface RunsOfProcess {
  runnerId: string;
  runs: Runs;
  events: RunEvents;
  publisher: Publisher;
  /** Lets go of the locks that the kernel takes from a process that dies. */
  die(): void;
}

function repositoryIn(paths: InstancePaths): Repository {
  const log = createLog({ level: "silent", name: "test" });
  return makeRepository({ contentDir: paths.content, workspacesDir: paths.workspaces, log });
}

/** A content repository with its first commit: to make it, git is started half a dozen times. */
async function makeTemplate(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-content-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const paths = instancePaths(folder);
  await writeContent(paths);
  const author = { name: "Owner", email: "owner@example.com" };
  await initRepository(repositoryIn(paths), { author, at: 0, message: "Begin" });
  return paths.content;
}

let template: Promise<string> | undefined;

async function makeContent(paths: InstancePaths): Promise<Repository> {
  template ??= makeTemplate();
  await cp(await template, paths.content, { recursive: true });
  await mkdir(paths.artifacts, { recursive: true });
  const repository = repositoryIn(paths);
  // The index knows its files by their inodes.
  await repository.git(["update-index", "-q", "--refresh"]);
  return repository;
}

/** Sends a path exactly as it is spelled; a header given as "" is left out. */
async function ask(url: string, path: string, given: Ask, own: Record<string, string>) {
  const headers = { ...own, ...given.headers };
  if (given.body !== undefined) headers["content-type"] ??= "application/json";
  const sent = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ""));
  const method = given.method ?? (given.body === undefined ? "GET" : "POST");
  const { hostname, port } = new URL(url);
  const call = request({ hostname, port, path, method, headers: sent, agent: false });
  call.end(given.body === undefined ? undefined : JSON.stringify(given.body));
  const [response] = (await once(call, "response")) as [IncomingMessage];
  const text = await readText(response);
  const json = () => JSON.parse(text) as ReturnType<Answer["json"]>;
  return { status: response.statusCode ?? 0, headers: response.headers, text, json };
}

/**
 * A small site with real git, real artifacts and a real database, the runs on it and the runner's
 * server. The builder copies pages unless another is given.
 */
export async function startRunsApp(
  options: {
    makeBuilder?: (paths: InstancePaths) => Promise<SiteBuilder>;
    /** What the runs are given by the rest of the program; the plainest unless told. */
    dependencies?: Partial<OutsideDependencies>;
    /** The console's script for the pages of previews; a comment unless told. */
    frameScript?: string;
    /** How many runs are worked on at once; one unless told. */
    parallel?: number;
    publishing?: Partial<PublisherDependencies>;
    /** Looks at all that goes live for private texts; nobody does unless told. */
    gate?: (deps: Pick<PrivateGateDependencies, "db" | "paths" | "log">) => PrivateGate;
  } = {},
): Promise<RunsApp> {
  const folder = await tempFolder();
  const paths = instancePaths(folder.path);
  const repository = await makeContent(paths);
  const copying = copyingBuilder(paths);
  const builder = (await options.makeBuilder?.(paths)) ?? copying;
  const admin = await startAdminApp({ baseUrl });
  const { db, clock, guard } = admin;
  const log = createLog({ level: "silent", name: "test" });
  let agent: Agent | undefined;
  const publishers = new Set<Publisher>();
  const site = { baseUrl, owner: { name: "Owner", timeZone: "UTC" } };
  const mediaDir = join(paths.content, "app/public/media");
  const recordPreviews = makeRecordPreviews({
    db,
    clock,
    repository,
    builder,
    mediaDir,
    artifactsDir: paths.artifacts,
    runnerId: "PREVIEWS",
    isGone: async (id) => id !== "LIVING",
    records: (asPublished) => exportSite(db, site, { asPublished }),
  });

  const gate = options.gate?.({ db, paths, log });
  let runners = 0;
  const tasks = makeTaskHooks({ db, clock });
  const another = (publishing: Partial<PublisherDependencies> = {}): RunsOfProcess => {
    const runnerId = `runner-${(runners += 1)}`;
    const events = makeRunEvents({ db, clock, coalesceMs: 5 });
    const own = makePublishHooks({ db, clock, events });
    const hooks: PublishHooks = {
      ...own,
      async onPublished(transaction, published) {
        await own.onPublished(transaction, published);
        await tasks.onPublished(transaction, published);
      },
    };
    const publisher = makePublisher({
      db,
      repository,
      paths,
      clock,
      log,
      hooks,
      addChange: addEntry,
      ...(gate && { gate }),
      ...publishing,
    });
    publishers.add(publisher);
    const runs = makeRuns({
      db,
      runnerId,
      // The one that was started last takes all others for dead.
      registry: { isGone: async (id) => id !== runnerId },
      clock,
      log,
      events,
      repository,
      builder,
      publisher,
      limits: defaultLimits,
      owner: { name: "Owner" },
      selectAgent: async () => {
        if (!agent) throw new Error("the test has given no agent");
        return agent;
      },
      exportRecords: (seed, changes) => exportSite(db, site, { seed, changes }),
      mediaDir,
      artifactsDir: paths.artifacts,
      keepArtifacts: 10,
      maxConcurrentRuns: options.parallel ?? 1,
      ...stubDependencies({
        readCurrentRelease: () => currentRelease(paths),
        onRunClosed: tasks.onClosed,
      }),
      ...options.dependencies,
    });
    const die = () => {
      publishers.delete(publisher);
      publisher.close();
    };
    return { runnerId, runs, events, publisher, die };
  };
  const first = another(options.publishing);
  const { runs, events } = first;

  const app = createHttpServer({ log, name: "runner", secure: false });
  const tickets = makePreviewTickets({ key: "ticket key", db, clock });
  guardRunner(app, { key: runnerKey, guard, tickets });
  const isAlive = (idHash: string) => isSessionAlive(db, clock, idHash);
  registerRunRoutes(app, {
    db,
    clock,
    runs,
    events,
    version: "0.0.0",
    isSessionAlive: isAlive,
    pollMs: 10,
  });
  registerRecordPreviews(app, { recordPreviews });
  registerRunPreview(app, {
    runs,
    recordPreviews,
    tickets,
    paths,
    frameScript: options.frameScript ?? "// frame",
    baseUrl,
    workers: testWorkers,
  });
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  const cookie = await admin.signIn();

  const cleanup = async () => {
    await runs.close();
    await recordPreviews.close();
    await app.close();
    await builder.close();
    await admin.cleanup();
    for (const publisher of publishers) publisher.close();
    repository.close();
    await folder.remove();
  };
  return {
    admin,
    db,
    paths,
    repository,
    builder: copying,
    events,
    runs,
    first,
    recordPreviews,
    tickets,
    url,
    cookie,
    another,
    ask: (path, given = {}) => ask(url, path, given, { "x-vitrine-key": runnerKey, cookie }),
    async edit(given, instruction = "Change it", mode = "build") {
      agent = given;
      const { runId } = await runs.start({ instruction, mode });
      await runs.waitUntilFinished(runId);
      return runId;
    },
    use: (given) => (agent = given),
    git: async (...args) => (await repository.git(args)).stdout,
    closeServer: () => app.close(),
    cleanup,
    [Symbol.asyncDispose]: cleanup,
  };
}
