import { join } from "node:path";
import { AppError, type ErrorCode } from "../../kit/errors.ts";
import { readSeedFile } from "../changelog/seed-file.ts";
import { mainHead, type Repository } from "../workspace/git.ts";
import { stageRecords } from "../workspace/records.ts";
import {
  createWorkspace,
  removeFinishedWorkspace,
  removeWorkspace,
  type Workspace,
} from "../workspace/workspace.ts";
import type { Artifact, SiteBuilder } from "./builder/build.ts";
import type { Publisher } from "./publish.ts";
import type { SiteRecords } from "./snapshot.ts";

/** The steps of a rebuild before the publisher takes over; each is reported when it is done. */
export type RebuildStep = "claimed" | "workspace" | "records" | "built" | "live" | "ended";

export interface RebuildDependencies {
  repository: Repository;
  publisher: Publisher;
  builder: SiteBuilder;
  /**
   * The data of a build: the published records, with the changelog after seeding `seed`; null means
   * the last seed.
   */
  records(seed: string | null): Promise<SiteRecords>;
  /** The text of database/projects.json: all records. */
  exportRecords(): Promise<string>;
  mediaDir: string;
  ownerName: string;
  /** Called before anything is read; an error fails the rebuild. */
  before?: () => Promise<void>;
  /** Called with a new workspace's folder: what else has to follow the records there. */
  prepareSource?: (dir: string) => Promise<void>;
}

export interface RebuildJob {
  /** The name of its workspace, and of its publish. */
  id: string;
  reason: string;
  /** Whether nobody waits for it, so that its build gives way to others. */
  isInBackground?: boolean;
  signal: AbortSignal;
  step(name: RebuildStep): void | Promise<void>;
}

/** What a rebuild has published; no commit if the files are unchanged. */
export interface Rebuilt {
  commit: string | null;
  release: number;
}

/** How often `main` may move during a rebuild before it gives up. */
const maxAttempts = 4;

/** How long a rebuild waits for a publish, in ms. */
const lockTimeoutMs = 120_000;

const brokenSeed: ReadonlySet<ErrorCode> = new Set(["malformed_json", "validation_failed"]);

const seedFile = "database/changelog.json";

/** A seed broken manually doesn't keep the records from going live. */
async function recordsFor(deps: RebuildDependencies, { dir }: Workspace): Promise<SiteRecords> {
  try {
    return await deps.records(await readSeedFile(join(dir, seedFile)));
  } catch (error) {
    const broken = error instanceof AppError && brokenSeed.has(error.code);
    if (!broken) throw error;
    return deps.records(null);
  }
}

interface Watched {
  signal: AbortSignal;
  onStarted(): void;
}

type Build = (at: Workspace, watched?: Watched) => Promise<Artifact>;

function buildIn(deps: RebuildDependencies, job: RebuildJob): Build {
  const { builder, mediaDir } = deps;
  return async (at, watched) => {
    const source = { sourceDir: at.dir, ...(await recordsFor(deps, at)), mediaDir };
    const { signal, isInBackground = false } = job;
    return builder.build({ ...source, isInBackground, signal, ...watched });
  };
}

/**
 * The build reads nothing that the records' commit contains, so both are made in parallel. A record
 * saved between their queries has its own request.
 */
async function buildAndStageRecords(
  { repository, exportRecords }: RebuildDependencies,
  job: RebuildJob,
  workspace: Workspace,
  build: Build,
): Promise<{ artifact: Artifact; tree: string; changed: boolean }> {
  const useless = new AbortController();
  const started = Promise.withResolvers<void>();
  const signal = AbortSignal.any([job.signal, useless.signal]);
  const building = build(workspace, { signal, onStarted: started.resolve });
  // If it fails before the build starts, the records aren't needed.
  building.then(() => started.resolve(), started.reject);
  const runImport = async () => {
    // Reading all records a second time at this point would only delay the build.
    await started.promise;
    try {
      const brought = await stageRecords(repository, workspace, { exportRecords });
      await job.step("records");
      return brought;
    } catch (error) {
      useless.abort(error);
      throw error;
    }
  };
  // Waits for both, because nothing may be running in a workspace that is removed.
  const [built, brought] = await Promise.allSettled([building, runImport()]);
  if (brought.status === "rejected") throw brought.reason;
  if (built.status === "rejected") throw built.reason;
  return { artifact: built.value, ...brought.value };
}

/** One attempt on the current head of `main`; null if `main` has moved. */
async function attempt(
  deps: RebuildDependencies,
  job: RebuildJob,
  workspace: Workspace,
): Promise<Rebuilt | null> {
  const { publisher, ownerName } = deps;
  const build = buildIn(deps, job);
  const { artifact, tree, changed } = await buildAndStageRecords(deps, job, workspace, build);
  await job.step("built");
  job.signal.throwIfAborted();
  if (!changed) {
    const { release } = await publisher.release(artifact, { base: workspace.baseCommit });
    return release === null ? null : { commit: null, release };
  }
  const { commit, release } = await publisher.publish({
    runId: job.id,
    workspace,
    artifact,
    tree,
    message: `Update records: ${job.reason}`,
    actor: ownerName,
    trailers: { Rebuild: job.id, Actor: ownerName },
    rebuild: (merged) => build(merged),
    changelog: null,
    writer: "rebuild",
    waitMs: lockTimeoutMs,
  });
  return { commit, release };
}

/** Whether the attempt failed only because `main` has changed in the meantime. */
async function hasMainMoved(
  { repository }: RebuildDependencies,
  { baseCommit }: Workspace,
  error: unknown,
): Promise<boolean> {
  const merging = error instanceof AppError && ["conflict", "invalid_state"].includes(error.code);
  return merging && (await mainHead(repository)) !== baseCommit;
}

/**
 * Updates the public site to the current records: exports and commits them with the media if they
 * differ from `main`, builds `main`, and publishes, all or nothing. What a run publishes in the
 * meantime is kept: merged, or the rebuild starts over on top of it. Throws the errors of the build
 * and the publisher.
 */
export async function rebuildSite(deps: RebuildDependencies, job: RebuildJob): Promise<Rebuilt> {
  const { repository } = deps;
  for (let n = 1; n <= maxAttempts; n += 1) {
    await deps.before?.();
    // If the previous attempt couldn't remove its workspace, this must succeed now or report why.
    if (n > 1) await removeWorkspace(repository, job.id);
    const workspace = await createWorkspace(repository, job.id);
    await job.step("workspace");
    try {
      await deps.prepareSource?.(workspace.dir);
      const rebuilt = await attempt(deps, job, workspace);
      if (rebuilt !== null) {
        await job.step("live");
        return rebuilt;
      }
    } catch (error) {
      if (!(await hasMainMoved(deps, workspace, error))) throw error;
    } finally {
      await removeFinishedWorkspace(repository, job.id);
    }
  }
  throw new AppError("conflict", "The content keeps changing. Try the rebuild again later.");
}
