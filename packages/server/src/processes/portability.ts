import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import {
  type ImporterDependencies,
  type Importer,
  makeImporter,
} from "../features/portability/import/importer.ts";
import { removeLeftovers, importFolder } from "../features/portability/import/cleanup.ts";
import { readSiteIdentity } from "../features/portability/import/site-identity.ts";
import { siteFile } from "../features/portability/resume/page-texts.ts";
import { type ExportResult, exportAll } from "../features/portability/export/export.ts";
import { makeVideoConverter } from "../features/media/video/video-converter.ts";
import { makeImageWorkers } from "../features/media/image/workers.ts";
import { makeMediaLibrary, type MediaLibrary } from "../features/media/library/library.ts";
import { makeSiteBuilder, type SiteBuilder } from "../features/release/builder/build.ts";
import { exportSite } from "../features/release/export.ts";
import { assertNoHandEdits } from "../features/release/hand-edits.ts";
import { rebuildEnd } from "../features/release/rebuild-requests.ts";
import { makeBuildChecks } from "../features/qa/build/build-checks.ts";
import { assertNoBlankPages, inspectPreview } from "../features/runs/inspect-preview.ts";
import type { RunDependencies } from "../features/runs/run-dependencies.ts";
import { readSeedFile } from "../features/changelog/seed-file.ts";
import { makeTaskHooks } from "../features/tasks/worker/run-hooks.ts";
import { mediaFolder } from "../features/workspace/content-paths.ts";
import { makeRepository } from "../features/workspace/git.ts";
import type { Workspace } from "../features/workspace/workspace.ts";
import { AppError } from "../kit/errors.ts";
import type { Clock } from "../kit/clock.ts";
import type { OpenedInstance } from "../platform/cli.ts";
import { lockState } from "../platform/lock.ts";
import type { Log } from "../platform/log.ts";
import { platformRoot } from "../platform/paths.ts";
import { watchLiveSettings } from "./live-settings.ts";
import { makeRebuildRequester } from "./request-rebuild.ts";
import { makeContentSync } from "./content-sync.ts";
import { openLocalLimits } from "../platform/throttle.ts";
import { programVersion } from "../platform/version.ts";
import { makeWorkerPool } from "../platform/worker-pool.ts";
import { cleanUpAlone, importAlone } from "./import-lock.ts";
import type { Instance } from "./instance.ts";
import { openSharedStorage } from "../features/storage/shared-storage.ts";
import { openPublishing, type Publishing } from "./publishing.ts";
import { makeUsageFinderWithPending } from "./records.ts";
import { openSiteSlots } from "./site-slots.ts";

/** Maximum time of the rebuild, and how often it is checked, in ms. */
const maxWaitMs = 10 * 60_000;
const pollIntervalMs = 200;

/** Whether a runner of this instance is alive on this machine; it then rebuilds. */
async function isRunnerAlive({ config }: Instance): Promise<boolean> {
  const { runners } = config.paths;
  const names = await readdir(runners).catch(() => []);
  return names.some((name) => lockState(join(runners, name)) === "held");
}

/**
 * The media library of an import, with its own folder and lock, so that it can work next to web.
 */
async function openImportLibrary(
  instance: Instance,
  workDir: string,
  // The import requests one rebuild after its records are stored.
  onChange: ReturnType<typeof makeRebuildRequester> = async () => {},
) {
  const { config, clock, log, database } = instance;
  const { paths, sandbox } = config;
  const { content: contentDir, workspaces: workspacesDir } = paths;
  const repository = makeRepository({ contentDir, workspacesDir, log });
  const limits = config.limits.media;
  const slots = openSiteSlots(config);
  const dir = join(paths.data, "images");
  const images = makeImageWorkers({ limits, log, sandbox, dir, slots: slots.image });
  const videoOptions = { paths, limits, sandbox, log, clock, slots: slots.video };
  const videos = await makeVideoConverter(videoOptions);
  const library = makeMediaLibrary({
    db: database.db,
    clock,
    log,
    limits,
    images,
    videos,
    paths: { data: workDir, uploads: join(workDir, "uploads"), content: paths.content },
    copies: instance.shared?.files ?? null,
    onChange,
    // An import adds files and removes its own, but changes none.
    onAddressChange: async () => {},
    usesOf: makeUsageFinderWithPending(paths.content, repository),
  });
  return { library, films: videos, repository };
}

async function recoverLibrary(library: MediaLibrary): Promise<void> {
  await library.recover().catch((cause: unknown) => {
    const isLocked = cause instanceof AppError && cause.code === "locked";
    throw isLocked ? new AppError("locked", "Another import is running.", { cause }) : cause;
  });
}

/** At startup: undoes what a killed import has left; doesn't affect a running one. */
export async function cleanUpImport(instance: Instance): Promise<void> {
  const { paths } = instance.config;
  const workDir = importFolder(paths.data);
  // A rebuild may have committed in the meantime what is removed now.
  const onChange = makeRebuildRequester(instance);
  const { library, repository } = await openImportLibrary(instance, workDir, onChange);
  const { db } = instance.database;
  try {
    await cleanUpAlone(instance, async () => {
      await recoverLibrary(library);
      await removeLeftovers({ db, library, workDir, repository });
    });
  } finally {
    repository.close();
    await library.close();
  }
}

/** Opens something on first use. */
function makeLazy<T>(open: () => Promise<T>) {
  let opened: Promise<T> | null = null;
  return {
    get: () => (opened ??= open()),
    async close(close: (value: T) => Promise<void>) {
      const value = await opened?.catch(() => null);
      if (value) await close(value);
    },
  };
}

/** Builds what is about to go live and checks it like a run's build. Also throws BlankPages. */
function makeBuild(instance: Instance, builder: () => Promise<SiteBuilder>) {
  const { config, database, log } = instance;
  const { paths, baseUrl, owner } = config;
  const check = makeBuildChecks({ paths, log, baseUrl });
  const inspect: RunDependencies["inspectBuild"] = ({ artifact, signal }) =>
    check({ artifactDir: artifact.dir, signal });
  return async ({ runId, dir }: Workspace, hide?: readonly string[]) => {
    const seed = await readSeedFile(join(dir, "database/changelog.json"));
    const records = await exportSite(
      database.db,
      { baseUrl, owner },
      { seed, ...(hide && { hide }) },
    );
    const mediaDir = join(paths.content, mediaFolder);
    const artifact = await (await builder()).build({ sourceDir: dir, ...records, mediaDir });
    const deps = { inspectBuild: inspect, log };
    assertNoBlankPages(await inspectPreview(deps, artifact, { runId, emit() {} }));
    return artifact;
  };
}

/** Waits for a rebuild; does it here if no runner is alive. */
async function waitForRebuild(
  instance: Instance,
  rebuild: number,
  deps: { publishing(): Promise<Publishing>; builder(): Promise<SiteBuilder> },
): Promise<{ error: string | null }> {
  const { clock, database } = instance;
  const began = clock.monotonic();
  const contentSync = (await isRunnerAlive(instance))
    ? null
    : makeContentSync(instance, {
        ...(await deps.publishing()),
        builder: await deps.builder(),
        after: async () => {},
      });
  try {
    await contentSync?.start();
    for (;;) {
      const end = await rebuildEnd(database.db, rebuild);
      if (end !== null) return end;
      if (clock.monotonic() - began > maxWaitMs) {
        return {
          error: "The site wasn't built within 10 minutes. Check that the runner is running.",
        };
      }
      await delay(pollIntervalMs);
    }
  } finally {
    await contentSync?.close();
  }
}

async function makeInstance(
  opened: OpenedInstance,
  { clock, log }: { clock: Clock; log: Log },
): Promise<Instance> {
  const { config, database, keys } = opened;
  // Whoever opened the database closes it.
  const kept = { ...database, close: async () => {} };
  const followed = await watchLiveSettings({ config, database: kept, keys, clock, log });
  // Its threads start on demand and don't keep the process alive.
  const workers = makeWorkerPool();
  const shared = openSharedStorage(config, database.db);
  const openLimit = openLocalLimits(clock);
  return { log, clock, version: programVersion(), keys, workers, shared, openLimit, ...followed };
}

/** The sample site as shipped. */
async function readSampleSite() {
  const template = join(platformRoot, "packages/template");
  const sample = await readSiteIdentity(template);
  const { name } = JSON.parse(sample[siteFile] ?? "") as { name: string };
  const shipped = await readFile(join(template, "database/projects.json"), "utf8");
  return { sample, shipped, sampleName: name };
}

/** Creates the importer for `vitrine import`, with or without running processes of the instance. */
export async function openImporter(
  opened: OpenedInstance,
  tools: { clock: Clock; log: Log; onProgress(line: string): void },
): Promise<Importer> {
  const instance = await makeInstance(opened, tools);
  const { config, clock, log, database } = instance;
  const { paths, limits, sandbox } = config;
  const { db } = database;
  const workDir = importFolder(paths.data);
  const { library, films: videos, repository } = await openImportLibrary(instance, workDir);
  const publishing = makeLazy(() =>
    openPublishing(instance, makeTaskHooks({ db, clock }), { recovers: true }),
  );
  const cold = { ...limits.build, warm: false };
  const { build: slots } = openSiteSlots(config);
  const builderOptions = { paths, limits: cold, sandbox, log, clock, slots };
  const builder = makeLazy(() => makeSiteBuilder(builderOptions));
  const closeAll = async () => {
    await builder.close((each) => each.close());
    await publishing.close(async (each) => {
      each.publisher.close();
      each.repository.close();
    });
    repository.close();
  };
  const shipped = await readSampleSite();
  const { sample } = shipped;
  const start = async () => {
    await recoverLibrary(library);
    const build = makeBuild(instance, builder.get);
    const publish = async (...args: Parameters<Publishing["publisher"]["publish"]>) =>
      (await publishing.get()).publisher.publish(...args);
    const onProgress = (done: number, of: number) => tools.onProgress(`${done} of ${of} images`);
    const { name, timeZone } = config.owner;
    const own = { db, clock, repository, publisher: { publish }, build, owner: { name, timeZone } };
    return { db, library, workDir, onProgress, own, sample, content: paths.content };
  };
  const deps: ImporterDependencies = {
    db,
    content: paths.content,
    assertNoHandEdits: () => assertNoHandEdits(repository, paths),
    rules: {
      ...limits.media,
      videoUnavailableReason: () => (videos.state.available ? null : videos.state.reason),
    },
    ...shipped,
    ownerName: config.owner.name,
    onProgress: tools.onProgress,
    start,
    follow: (rebuild) =>
      waitForRebuild(instance, rebuild, { publishing: publishing.get, builder: builder.get }),
    async close() {
      await closeAll();
      await library.close();
      await instance.shared?.close();
      await database.close();
    },
  };
  return importAlone(instance, makeImporter(deps));
}

/** Implements `vitrine export`. */
export function exportInstance(
  { config, database }: OpenedInstance,
  dir: string,
): Promise<ExportResult> {
  const { content, data, dir: instance } = config.paths;
  return exportAll(dir, { db: database.db, content, instance, locks: join(data, "exports") });
}
