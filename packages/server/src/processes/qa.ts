import { tmpdir } from "node:os";
import { countMessages } from "../features/contact/store.ts";
import { makeEngine } from "vitrine-qa/src/engine/engine-process.ts";
import { registerQa } from "../features/qa/api.ts";
import { autofix } from "../features/qa/fix/autofix.ts";
import type { FixModel } from "../features/qa/fix/fix-method.ts";
import { syncFixes } from "../features/qa/fix/sync-fixes.ts";
import { type Schedule, makeSchedule } from "../features/qa/runs/schedule.ts";
import { makeQaRuns, type QaRuns } from "../features/qa/runs/qa-runs.ts";
import {
  maxStoredRuns,
  findLastScheduledRun,
  findLastFullRunStart,
} from "../features/qa/runs/store.ts";
import { engineWithAppErrors } from "../features/qa/qa-errors.ts";
import { type Assess, type AssessDependencies, makeAssess } from "../features/qa/source/assess.ts";
import { makeGroupBySource } from "../features/qa/source/group-by-source.ts";
import { findAssessments, listAssessable, saveAssessments } from "../features/qa/source/store.ts";
import { makeLiveReleases } from "../features/release/site/live-release.ts";
import { makeSummaries } from "../features/qa/runs/summary.ts";
import { sourcesFor } from "../features/resources/sources.ts";
import type { AdminGuard } from "../features/admin-auth/guard.ts";
import type { Registry } from "../features/runs/runners/registry.ts";
import { countAliveRunners } from "../features/runs/runners/store.ts";
import { listRuns } from "../features/runs/store.ts";
import { sampleName } from "../features/setup/apply-setup.ts";
import { readContentFiles, readShippedProjects } from "../features/setup/content-files.ts";
import { unmistakablePhrases } from "../features/setup/sample-phrases.ts";
import type { AppServer } from "../platform/http/server.ts";
import { type Agents, readUsableModel } from "./agents.ts";
import type { Instance } from "./instance.ts";
import { templateDir } from "../platform/paths.ts";
import { repeat } from "./repeat.ts";
import { onDemandArgument } from "./site-activity.ts";
import { openSiteSlots } from "./site-slots.ts";

/** Delay between the runner's start and its first QA run, in ms. */
const firstRunDelayMs = 90_000;
/** How often fixes are synchronized with their tasks, and runs of dead runners are recovered, in ms. */
const syncFixesIntervalMs = 3000;
const recoverIntervalMs = 30_000;
/** Even an unchanged site gets a full run this often, in ms. */
const fullRunIntervalMs = 24 * 60 * 60_000;
/** Open findings assessed after a run; those that may be fixed unattended come first. */
const maxAssessed = 500;
/** Private previews that a run requests without a session. */
const maxPreviewProbes = 3;

/** The runner's part of QA: the runs and their schedule. */
export interface RunnerQa {
  runs: QaRuns;
  schedule: Schedule;
  start(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Texts that no page may show any more: the sample's, once the instance has an owner with another
 * name. They are shipped with the program and read once.
 */
function makeForbiddenTexts({ config }: Pick<Instance, "config">) {
  let phrases: Promise<{ name: string; texts: string[] }> | null = null;
  async function read() {
    const shipped = await readContentFiles(templateDir);
    const texts = unmistakablePhrases(shipped, await readShippedProjects(templateDir));
    return { name: sampleName(shipped), texts };
  }
  return async (): Promise<readonly string[]> => {
    phrases ??= read();
    const { name, texts } = await phrases;
    return config.owner.name === name ? [] : texts;
  };
}

/** Returns what builds the job of an instance's next QA run. */
function jobOf(instance: Instance) {
  const { config, database, clock, version, liveSettings } = instance;
  const forbiddenTexts = makeForbiddenTexts(instance);
  const { baseUrl, limits, qa } = config;
  const address = qa.address === null ? null : new URL(qa.address);
  const connect = address && {
    host: address.hostname.replace(/^\[|\]$/g, ""),
    port: Number(address.port || (address.protocol === "https:" ? 443 : 80)),
  };
  return async () => {
    const ready = { page: 1, perPage: maxPreviewProbes, status: "preview_ready" } as const;
    const { rows } = await listRuns(database.db, ready);
    const whole = await findLastFullRunStart(database.db);
    await liveSettings.refresh();
    return {
      engine: `vitrine ${version}`,
      url: new URL("/", baseUrl).href,
      connect,
      limits: limits.qa,
      browser: "auto" as const,
      external: "due" as const,
      forbiddenTexts: await forbiddenTexts(),
      full: whole === null || Date.parse(whole) < clock.now() - fullRunIntervalMs,
      own: { version, previews: rows.map(({ id }) => new URL(`/_preview/${id}/`, baseUrl).href) },
    };
  };
}

/** Where the sources of findings are looked up. */
function sourceDependencies({ config, database, workers }: Instance): AssessDependencies {
  const { paths, limits } = config;
  return {
    db: database.db,
    workers,
    releases: makeLiveReleases(paths),
    contentDir: paths.content,
    limits: limits.workspace,
  };
}

/** Assesses how findings could be fixed, given the site and the records as they are now. */
const makeAssessment = (instance: Instance): Assess => makeAssess(sourceDependencies(instance));

/** What decides how findings are fixed: the last run's assessments and the selected model. */
export function makeFixFacts(
  { database }: Pick<Instance, "database">,
  agents: Pick<Agents, "choice">,
): { assess: Assess; model(): Promise<FixModel> } {
  return {
    assess: (rows) =>
      findAssessments(
        database.db,
        rows.map(({ id }) => id),
      ),
    model: () => readUsableModel(agents),
  };
}

function openQaRuns(
  instance: Instance,
  { agents, registry, wake }: { agents: Agents; registry: Registry; wake: () => void },
): QaRuns {
  const { config, liveSettings, database, clock, log } = instance;
  const { db } = database;
  const assess = makeAssessment(instance);
  const fixing = { db, clock, log, wake, ...makeFixFacts(instance, agents) };
  const { choice, ledger } = agents;
  const { qa: slots } = openSiteSlots(config);
  const engine = engineWithAppErrors(
    makeEngine({ log, tempDir: tmpdir(), cacheDir: config.paths.compileCache }),
  );
  const summaries = makeSummaries({
    db,
    log,
    choice: () => choice.current(),
    ledger,
    sources: () => sourcesFor(db, "qa"),
  });
  return makeQaRuns({
    db,
    clock,
    log,
    runnerId: registry.id,
    isGone: (id) => registry.isGone(id),
    engine: (jobOfRun, watch) => slots.run(() => engine(jobOfRun, watch), watch.signal),
    job: jobOf(instance),
    countMessages: () => countMessages(db),
    groupBySource: makeGroupBySource(sourceDependencies(instance)),
    async afterRun(runId) {
      await saveAssessments(db, await assess(await listAssessable(db, maxAssessed)));
      const { autofix: enabled } = await liveSettings.refresh();
      await autofix({ ...fixing, enabled }, runId);
    },
    summarize: (runId, signal) => summaries.summarize(runId, signal),
    seconds: config.limits.qa.seconds,
    keep: maxStoredRuns,
  });
}

/**
 * When a site that was woken has its first QA run, in ms: it starts many times a day, each time for
 * something else.
 */
async function firstRunOnDemand({ database, config }: Instance): Promise<number | undefined> {
  if (!process.argv.includes(onDemandArgument)) return undefined;
  const last = await findLastScheduledRun(database.db);
  const everyMs = config.qa.intervalMinutes * 60_000;
  return last === null ? undefined : Math.max(firstRunDelayMs, everyMs - last.ms);
}

/** Creates a runner's QA; nothing starts before `start`. */
export function openQa(
  instance: Instance,
  deps: { agents: Agents; registry: Registry; wake: () => void },
): RunnerQa {
  const { config, database, clock, log } = instance;
  const { db } = database;
  const { registry } = deps;
  const qaRuns = openQaRuns(instance, deps);
  const schedule = makeSchedule({
    runs: qaRuns,
    clock,
    log,
    everyMinutes: config.qa.intervalMinutes,
    firstMs: firstRunDelayMs,
    runnerId: registry.id,
    isGone: (id) => registry.isGone(id),
    lastScheduledRun: () => findLastScheduledRun(db),
  });
  const fixSync = repeat(() => syncFixes({ db, clock, log, runs: qaRuns }), {
    everyMs: syncFixesIntervalMs,
    onError: (err) => log.error({ err }, "couldn't synchronize fixes with their tasks"),
  });
  const recovery = repeat(() => qaRuns.recover(), {
    everyMs: recoverIntervalMs,
    onError: (err) => log.error({ err }, "couldn't recover QA runs of dead runners"),
  });
  return {
    runs: qaRuns,
    schedule,
    async start() {
      await qaRuns.recover();
      schedule.start(await firstRunOnDemand(instance));
      fixSync.start();
      recovery.start();
    },
    async close() {
      await Promise.all([schedule.close(), fixSync.close(), recovery.close(), qaRuns.close()]);
    },
  };
}

/** Registers the API of findings, for the web process. */
export function registerFindings(
  app: AppServer,
  instance: Instance,
  deps: {
    guard: AdminGuard;
    agents: Agents;
    wake: () => void;
    nextAt: () => Promise<string | null>;
  },
): void {
  const { config, liveSettings, database, clock, version } = instance;
  const { db } = database;
  registerQa(app, {
    guard: deps.guard,
    db,
    clock,
    get ownerName() {
      return config.owner.name;
    },
    ...makeFixFacts(instance, deps.agents),
    assess: makeAssessment(instance),
    maxAttempts: config.limits.tasks.attempts,
    wake: deps.wake,
    runners: () => countAliveRunners(db),
    schedule: {
      minutes: config.qa.intervalMinutes,
      get autofix() {
        return liveSettings.now().autofix;
      },
      nextAt: deps.nextAt,
    },
    site: { baseUrl: config.baseUrl, version },
  });
}
