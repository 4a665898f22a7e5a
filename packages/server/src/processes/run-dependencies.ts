import { join } from "node:path";
import type { Agent, AgentRole } from "../features/agent/agent.ts";
import { inlineForm, makeInlineEditor } from "../features/agent/inline.ts";
import { makeLiteralEditor } from "../features/agent/literal.ts";
import { makeImageReader } from "../features/design/images.ts";
import { makeBuildChecks } from "../features/qa/build/build-checks.ts";
import type { SiteBuilder } from "../features/release/builder/build.ts";
import { exportSite } from "../features/release/export.ts";
import { listChanges } from "../features/projects/run-changes/store.ts";
import { makeLiveReleases } from "../features/release/site/live-release.ts";
import { currentRelease } from "../features/release/current-symlink.ts";
import { inlineEditsOf } from "../features/runs/inline-form.ts";
import type { RunDependencies } from "../features/runs/run-dependencies.ts";
import type { RunForm } from "../features/runs/request-store.ts";
import { findRun } from "../features/runs/store.ts";
import type { Registry } from "../features/runs/runners/registry.ts";
import { resolveAttachment } from "../features/runs/site-context/attachments.ts";
import { readSiteContext } from "../features/runs/site-context/site-context.ts";
import { makePagesAgent, pagesFormName } from "../features/pages/pages-agent.ts";
import type { PagesInput } from "../features/pages/schema.ts";
import { makeSetupAgent, setupForm } from "../features/setup/setup-agent.ts";
import {
  makeSiteNameAgent,
  siteNameForm,
  siteNameInput,
} from "../features/setup/site-name-agent.ts";
import type { SetupInput } from "../features/setup/site-texts.ts";
import type { TaskHooks } from "../features/tasks/worker/run-hooks.ts";
import { AppError } from "../kit/errors.ts";
import { templateDir } from "../platform/paths.ts";
import { mediaFolder } from "../features/workspace/content-paths.ts";
import type { Agents } from "./agents.ts";
import type { Instance } from "./instance.ts";
import type { RunnerNotifications } from "./preview-notifications.ts";
import type { Publishing } from "./publishing.ts";

/** A build keeps a core of a small machine busy. */
const maxConcurrentRuns = 2;

/** The agent that applies a form, by the form's name. */
async function formAgent(
  { config, database, clock }: Instance,
  runId: string,
  form: RunForm,
): Promise<Agent> {
  const { name, input } = form;
  if (name === inlineForm) {
    return makeInlineEditor({ name: config.owner.name, edits: inlineEditsOf(form) });
  }
  if (name === siteNameForm)
    return makeSiteNameAgent(config.owner.name, siteNameInput.parse(input));
  if (name === pagesFormName) {
    const deps = { db: database.db, templateDir, ownerName: config.owner.name };
    return makePagesAgent(deps, input as PagesInput);
  }
  if (name !== setupForm) throw new AppError("internal", `There is no form ${name}.`);
  const deps = { db: database.db, clock, templateDir, ownerName: config.owner.name };
  return makeSetupAgent(deps, { runId, input: input as SetupInput });
}

/** Compares a preview with private texts before anybody publishes it. */
async function prepareComparison(
  {
    db,
    gate,
    artifactsDir,
    log,
  }: Pick<RunDependencies, "db" | "artifactsDir" | "log"> & Pick<Publishing, "gate">,
  runId: string,
): Promise<void> {
  try {
    const sha = (await findRun(db, runId))?.artifact_sha ?? null;
    if (sha !== null) await gate.prepare(join(artifactsDir, sha), await listChanges(db, runId));
  } catch (error) {
    log.warn({ err: error, runId }, "couldn't compare a preview in advance");
  }
}

/** The agent with a role and the currently selected model. */
async function currentAgent({ choice }: Agents, role: AgentRole): Promise<Agent> {
  const current = await choice.current();
  if (current === null) return makeLiteralEditor({ role });
  // Loaded on first use, so that nobody waits for it without a model.
  const { makeEditor } = await import("../features/agent/model.ts");
  return makeEditor(current, { role });
}

/**
 * Everything that runs need, listed once and passed on unchanged. `onRunClosed` keeps tasks
 * consistent with their runs.
 */
export function makeRunDependencies(
  instance: Instance,
  { repository, events, publisher, builder, gate }: Publishing & { builder: SiteBuilder },
  {
    agents,
    notifications,
    registry,
    tasks,
  }: {
    agents: Agents;
    notifications: RunnerNotifications;
    registry: Registry;
    tasks: TaskHooks;
  },
): RunDependencies {
  const { config, database, log, clock, workers } = instance;
  const { paths, limits, owner, baseUrl } = config;
  const { db } = database;
  const checkBuild = makeBuildChecks({ paths, log, baseUrl });
  const releases = makeLiveReleases(paths);
  const images = makeImageReader({ db, mediaRoot: join(paths.content, mediaFolder, "..") });
  return {
    db,
    clock,
    log,
    workers,
    events,
    repository,
    builder,
    publisher,
    ledger: agents.ledger,
    runnerId: registry.id,
    registry,
    limits,
    owner,
    mediaDir: join(paths.content, mediaFolder),
    artifactsDir: paths.artifacts,
    fetchArtifact: instance.shared?.artifacts.get,
    keepArtifacts: limits.keep.artifacts,
    maxConcurrentRuns,
    selectAgent: (role) => currentAgent(agents, role),
    makeFormAgent: (runId, form) => formAgent(instance, runId, form),
    exportRecords: (seed, changes) => exportSite(db, { baseUrl, owner }, { seed, changes }),
    inspectBuild: ({ artifact, signal }) => checkBuild({ artifactDir: artifact.dir, signal }),
    readSiteContext: (question) => readSiteContext({ db, releases }, question),
    resolveAttachment: (attachment) => resolveAttachment({ db, paths, images }, attachment),
    readCurrentRelease: () => currentRelease(paths),
    async onPreviewReady(runId) {
      // In the background: nobody waits for it.
      void prepareComparison({ db, gate, artifactsDir: paths.artifacts, log }, runId);
      await notifications.onPreviewReady(runId);
    },
    onRunClosed: tasks.onClosed,
  };
}
