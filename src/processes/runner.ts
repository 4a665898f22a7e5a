import { join } from "node:path";
import { makeAdminGuard } from "../features/admin-auth/guard.ts";
import { isSessionAlive } from "../features/admin-auth/sessions.ts";
import { makePreviewTickets } from "../features/admin-auth/ticket.ts";
import type { Agent } from "../features/agent/agent.ts";
import { makeLiteralEditor } from "../features/agent/literal.ts";
import { makeEditor } from "../features/agent/model.ts";
import { addEntry } from "../features/changelog/entry.ts";
import { makeSiteBuilder, type SiteBuilder } from "../features/release/builder/build.ts";
import { exportSnapshot } from "../features/release/export.ts";
import { makePublisher } from "../features/release/publish.ts";
import { makeRunEvents } from "../features/runs/events.ts";
import { makeRuns } from "../features/runs/lifecycle.ts";
import { makePublishHooks } from "../features/runs/publishing.ts";
import { guardRunner } from "../features/runs/runner.ts";
import { makeSettings, readModelKey } from "../features/settings/settings.ts";
import { mediaFolder } from "../features/workspace/content-paths.ts";
import { makeRepository } from "../features/workspace/git.ts";
import { ok } from "../kit/envelope.ts";
import { allowedHosts } from "../platform/http/origin.ts";
import { createHttpServer } from "../platform/http/server.ts";
import { type Instance, openInstance } from "./instance.ts";
import { registerRunnerRoutes } from "./runner-api.ts";
import { runProcess, type Service } from "./run-process.ts";

/** How many runs are worked on at once: a build keeps a core of a small machine busy. */
const parallelRuns = 2;

/** The agent as configured now: a key that was set a moment ago counts. */
async function configuredAgent({ config, database, keys, clock }: Instance): Promise<Agent> {
  if (config.model === null) return makeLiteralEditor();
  const settings = makeSettings({ db: database.db, keyring: keys.settings, clock });
  return makeEditor(config.model, await readModelKey(settings));
}

function makeParts(instance: Instance, builder: SiteBuilder) {
  const { config, log, clock, database } = instance;
  const { paths, owner, baseUrl, limits } = config;
  const { db } = database;
  const repository = makeRepository({
    contentDir: paths.content,
    workspacesDir: paths.workspaces,
    log,
  });
  const events = makeRunEvents({ db, clock });
  const publisher = makePublisher({
    db,
    repository,
    paths,
    clock,
    log,
    hooks: makePublishHooks({ db, clock, events }),
    addChange: addEntry,
    keepReleases: limits.keep.releases,
  });
  const runs = makeRuns({
    db,
    clock,
    events,
    repository,
    publisher,
    limits,
    builder,
    log,
    snapshot: () => exportSnapshot(db, { baseUrl, owner }),
    mediaDir: join(paths.content, mediaFolder),
    artifactsDir: paths.artifacts,
    keepArtifacts: limits.keep.artifacts,
    ownerName: owner.name,
    agent: () => configuredAgent(instance),
    parallel: parallelRuns,
  });
  return { repository, events, publisher, runs };
}

/** Starts the runner: runs, previews and publishing, on the loopback address only. */
export async function startRunner(env: Record<string, string | undefined>): Promise<Service> {
  const instance = await openInstance(env, "runner");
  const { config, log, clock, database, keys, version } = instance;
  const { db } = database;
  const builder = await makeSiteBuilder({
    paths: config.paths,
    limits: config.limits.build,
    sandbox: config.sandbox,
    log,
    clock,
  });
  const { repository, events, publisher, runs } = makeParts(instance, builder);
  await runs.recover();
  const app = createHttpServer({ log, name: "runner", secure: false });
  const tickets = makePreviewTickets({ key: keys.preview, db, clock });
  app.addHook("onRequest", allowedHosts({ names: [], anyAddress: false }));
  guardRunner(app, { key: keys.runner, guard: makeAdminGuard({ db, clock, config }), tickets });
  registerRunnerRoutes(app, {
    db,
    clock,
    runs,
    events,
    version,
    tickets,
    isSessionAlive: (idHash) => isSessionAlive(db, clock, idHash),
    artifactsDir: config.paths.artifacts,
    baseUrl: config.baseUrl,
  });
  app.get("/internal/status", { schema: { hide: true } }, async () =>
    ok({ tier: builder.tier, reason: builder.reason }),
  );
  await app.listen({ host: "127.0.0.1", port: config.runnerPort });
  return {
    async close() {
      await app.close();
      await runs.close();
      await builder.close();
      publisher.close();
      repository.close();
      await database.close();
    },
  };
}

await runProcess("runner", () => startRunner(process.env));
