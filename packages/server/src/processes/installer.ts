import { join } from "node:path";
import { seedChangelogFile } from "../features/changelog/seed.ts";
import type { InstallCommandDependencies } from "../features/install/cli.ts";
import type { DoctorRequest } from "../features/install/doctor.ts";
import { install, type InstallResult, type InstallStep } from "../features/install/install.ts";
import { assertInstalled } from "../features/install/lock.ts";
import type { Repair } from "../features/install/repair.ts";
import {
  configurationStep,
  contentStep,
  databaseStep,
  folderStep,
  type InstallAnswers,
  keyStep,
} from "../features/install/steps.ts";
import { importRecordsFile } from "../features/projects/import.ts";
import { installStarterSources } from "../features/resources/starter-sources.ts";
import { makeSiteBuilder } from "../features/release/builder/build.ts";
import { exportSite } from "../features/release/export.ts";
import { assertNotMoving } from "../features/database-move/state.ts";
import { assertNotSwitching } from "../features/upgrade/commit.ts";
import { currentRelease, initialRelease } from "../features/release/current-symlink.ts";
import { actorIdentity } from "../features/workspace/commit.ts";
import { contentFolders, mediaFolder } from "../features/workspace/content-paths.ts";
import { mainHead, makeRepository, type Repository } from "../features/workspace/git.ts";
import { initRepository } from "../features/workspace/init.ts";
import { systemClock } from "../kit/clock.ts";
import { type Config, type Environment, loadConfig } from "../platform/config.ts";
import { type Database, openDatabase } from "../platform/db/connect.ts";
import { migrate } from "../platform/db/migrate.ts";
import type { Log } from "../platform/log.ts";
import { platformRoot } from "../platform/paths.ts";
import { programVersion } from "../platform/version.ts";
import { hasOtherNodes, joinSteps } from "./join-nodes.ts";
import { openRepairs } from "./repairs.ts";
import { openSiteSlots } from "./site-slots.ts";

const clock = systemClock;
const template = { dir: join(platformRoot, "packages/template"), folders: contentFolders };

function openConfigured(config: Config): Database {
  return openDatabase({ url: config.databaseUrl, file: config.paths.database });
}

function openRepository(config: Config, log: Log): Repository {
  const { content, workspaces } = config.paths;
  return makeRepository({ contentDir: content, workspacesDir: workspaces, log });
}

/** The default answers: this machine, its time zone, the sample site's person. */
function defaultAnswers(env: Environment): InstallAnswers {
  const port = Number(env["PORT"] || 3000);
  return {
    ownerName: "Mara Lindqvist",
    baseUrl: env["BASE_URL"] || `http://localhost:${port}`,
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC",
    ...(port === 3000 ? {} : { port }),
  };
}

async function hasCommit(config: Config, log: Log): Promise<boolean> {
  const repository = openRepository(config, log);
  try {
    return (await mainHead(repository).catch(() => null)) !== null;
  } finally {
    repository.close();
  }
}

/** The content repository with its first commit. */
function repositoryStep(config: () => Config, log: Log): InstallStep {
  return {
    name: "repository",
    async run() {
      const repository = openRepository(config(), log);
      try {
        const author = actorIdentity(config().owner.name);
        await initRepository(repository, { author, at: clock.now(), message: "Begin the site" });
      } finally {
        repository.close();
      }
    },
  };
}

function recordStep(config: () => Config, database: () => Database): InstallStep {
  return {
    name: "records",
    async run() {
      const folder = join(config().paths.content, "database");
      const { db } = database();
      const now = clock.now();
      await importRecordsFile(db, { file: join(folder, "projects.json"), now });
      const ownerName = config().owner.name;
      await seedChangelogFile(db, { file: join(folder, "changelog.json"), ownerName, now });
      await installStarterSources({ db, clock });
    },
  };
}

/** The step that takes the most time. */
export const releaseStepName = "first release";

/** The first build, and its artifact as release 1. */
function releaseStep(config: () => Config, database: () => Database, log: Log): InstallStep {
  return {
    name: releaseStepName,
    async run() {
      const { paths, limits, sandbox, baseUrl, owner } = config();
      if ((await currentRelease(paths)) !== null) return;
      // Exactly one build: a preloaded builder would cost another one.
      const once = { ...limits.build, warm: false };
      const { build: slots } = openSiteSlots(config());
      const builder = await makeSiteBuilder({ paths, limits: once, sandbox, log, clock, slots });
      try {
        const records = await exportSite(database().db, { baseUrl, owner });
        const mediaDir = join(paths.content, mediaFolder);
        const source = { sourceDir: paths.content, ...records, mediaDir };
        const [artifact] = await Promise.all([
          builder.build({ ...source, isInBackground: true }),
          builder.compileCode(),
        ]);
        await initialRelease(paths, artifact);
      } finally {
        await builder.close();
      }
    },
  };
}

/** Installs the instance of an environment's VITRINE_DIR. `onStep` gets the name of each step that starts. */
export async function installInstance(
  env: Environment,
  answers: InstallAnswers,
  { log, onStep }: { log: Log; onStep?: (name: string) => void },
): Promise<InstallResult> {
  // The configuration exists once its step has run.
  const config = () => loadConfig(env);
  const { paths, storage } = config();
  let opened: Database | null = null;
  const database = () => (opened ??= openConfigured(config()));
  // A further site that is made here: until its configuration exists, all else is the installation's own.
  const isFurther = answers.settings?.["site"] !== undefined;
  const isJoining = storage !== null && !isFurther && (await hasOtherNodes(database().db));
  const steps = isJoining
    ? joinSteps(config(), database().db, log)
    : [
        folderStep(paths),
        keyStep(paths),
        configurationStep(paths, answers),
        contentStep(paths, template, () => hasCommit(config(), log)),
        repositoryStep(config, log),
        databaseStep(paths, database, clock.now()),
        recordStep(config, database),
        releaseStep(config, database, log),
      ];
  try {
    return await install({
      paths,
      steps,
      version: programVersion(),
      clock,
      log,
      ...(onStep && { onStep }),
    });
  } finally {
    await (opened as Database | null)?.close();
  }
}

async function migrateInstance(config: Config): Promise<{ applied: string[] }> {
  await assertInstalled(config.paths);
  const database = openConfigured(config);
  try {
    await assertNotSwitching(config.paths);
    assertNotMoving(config.paths, config);
    return await migrate({ database, now: clock.now() });
  } finally {
    await database.close();
  }
}

function doctorRequest(config: Config, log: Log, repairs: Repair[]): DoctorRequest {
  const { paths, limits, sandbox } = config;
  return {
    config,
    repairs,
    async probeSandbox() {
      const cold = { ...limits.build, warm: false };
      const builder = await makeSiteBuilder({ paths, limits: cold, sandbox, log, clock });
      await builder.close();
      return { tier: builder.tier, reason: builder.reason, memory: builder.memory };
    },
    async checkRepository() {
      const repository = openRepository(config, log);
      try {
        await repository.git(["fsck", "--connectivity-only", "--no-dangling"]);
        return await mainHead(repository);
      } finally {
        repository.close();
      }
    },
  };
}

export interface InstallerOptions {
  environment: () => Environment;
  log: Log;
  prompt: InstallCommandDependencies["ask"];
  report: InstallCommandDependencies["report"];
}

/** Wires together what `install`, `migrate`, and `doctor` need. */
export function makeInstallDependencies({
  environment,
  log,
  prompt,
  report,
}: InstallerOptions): InstallCommandDependencies {
  return {
    ask: prompt,
    defaults: () => defaultAnswers(environment()),
    install: (answers) => installInstance(environment(), answers, { log }),
    migrate: () => migrateInstance(loadConfig(environment())),
    report,
    async withDoctor(work) {
      const config = loadConfig(environment());
      const repairs = await openRepairs(config, log);
      try {
        return await work(doctorRequest(config, log, repairs.list));
      } finally {
        await repairs.close();
      }
    },
  };
}
