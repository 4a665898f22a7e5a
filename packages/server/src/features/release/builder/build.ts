import { statfs } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { Clock } from "../../../kit/clock.ts";
import { AppError } from "../../../kit/errors.ts";
import type { Limits } from "../../../platform/config.ts";
import type { DiskQuota } from "../../../platform/disk-quota.ts";
import { exists } from "../../../platform/files.ts";
import type { Log } from "../../../platform/log.ts";
import type { InstancePaths } from "../../../platform/paths.ts";
import { type Slots, unlimitedSlots } from "../../../platform/slots.ts";
import { type StoredArtifact, storeArtifact } from "../artifact/artifact-store.ts";
import { removeFollowed, followOutput } from "../artifact/follow-output.ts";
import {
  type MemoryGuard,
  type MemoryBoundKind,
  openMemoryGuard,
} from "vitrine-qa/src/system/memory.ts";
import { makeBuildTurns } from "./build-turns.ts";
import { type BuilderTask, makeBuilderPool } from "./builder-pool.ts";
import { openCodeCache } from "./code-cache.ts";
import type { BuilderJob } from "./builder-protocol.ts";
import { runBuild } from "./run-build.ts";
import type { SandboxBounds } from "./sandbox-bounds.ts";
import type { SandboxTier } from "./sandbox.ts";
import { chooseTier, type SandboxMode } from "./sandbox-tier.ts";
import { linkKeptSearchParts, linkPublishedFiles, readKeptFiles } from "./link-published-files.ts";
import { type CompiledStore, openCompiledStore } from "./compiled-store.ts";
import { copySources, hashSources, removeLeftovers } from "./slot.ts";
import { type Snapshot, writeSnapshot } from "../snapshot.ts";
import { keepTagFile } from "../source-tags/tag-file.ts";
import type { Builder } from "./warm-builder.ts";

interface BuiltArtifact extends StoredArtifact {
  /** Whether its pages were rendered with code that an earlier build had compiled. */
  reusedCode: boolean;
}

export interface Artifact extends BuiltArtifact {
  /** From the call to the artifact in place, in ms. */
  durationMs: number;
}

/** The site's own content does not build. `errors` are for people and agents, with file and line. */
export class BuildFailed extends AppError {
  readonly errors: string[];
  /** The last 200 kB of what the build printed. */
  readonly log: string;
  /** Whether it needed more memory than it may use, of which the content need not be the cause. */
  readonly isOverMemory: boolean;

  constructor(errors: string[], log: string, { isOverMemory = false } = {}) {
    super("validation_failed", errors[0] ?? "The build failed.", { details: { errors } });
    this.name = "BuildFailed";
    this.errors = errors;
    this.log = log;
    this.isOverMemory = isOverMemory;
  }
}

export interface BuildJob {
  /** A folder with app/, brand/ and database/. It is only read. */
  sourceDir: string;
  snapshot: Snapshot;
  /** The stored media, hard-linked into the artifact; may be missing. */
  mediaDir: string;
  /** Addresses of stored media that the artifact must not have; none unless told. */
  withheld?: ReadonlySet<string>;
  signal?: AbortSignal;
  /**
   * Whether it is noted where the elements of the pages come from, for previews and for the admin's
   * own view: the artifact is the same without. Unless told, up to 3,000 records.
   */
  tags?: boolean;
  /** Whether it goes without new share images and without an index for searching: for a look only. */
  isPreviewOnly?: boolean;
  /**
   * Whether nobody waits for it. It draws as many share images as the limits allow, and others at
   * most four. It gives way to others: it then fails with GaveWay.
   */
  isInBackground?: boolean;
  onLog?: (line: string) => void;
  /** Called when the build has all that it needs and begins. */
  onStarted?: () => void;
}

export interface SiteBuilder {
  readonly tier: SandboxTier;
  /** Why it is not a better tier; null in the best. */
  readonly reason: string | null;
  /** How a build is held to its memory here. */
  readonly memory: MemoryBoundKind;
  /**
   * Builds a site in the sandbox and stores the artifact. Throws BuildFailed for errors of the content
   * and passed bounds, AppError `validation_failed` for sources or output that a site may not have,
   * `disk_full`, and the signal's reason when aborted.
   */
  build(job: BuildJob): Promise<Artifact>;
  /**
   * The marks (contentMark) of the files of an artifact that this process has built lately, by path, so
   * that its release needn't read them again.
   */
  verifiedFiles(sha: string): ReadonlyMap<string, string> | undefined;
  /**
   * Call when a build becomes likely: starts the builders that are loaded ahead, unless they wait
   * already, and keeps them for the next ten minutes. Returns immediately.
   */
  prepare(): void;
  /**
   * Has the program's own code compiled once for all builders to come, if its folder is among the paths.
   * Never throws: builders do without.
   */
  compileCode(): Promise<void>;
  /** Prepares, and resolves when warm builders wait for a job, or there are to be none. */
  waitUntilWarm(): Promise<void>;
  /**
   * Lets go of builders that nobody needs, removes what builds have left that ended when it could not be
   * removed, and calls `compileCode` while nothing is built. Call it regularly.
   */
  tidy(): Promise<void>;
  /** Kills what runs and removes the builders' folders. */
  close(): Promise<void>;
}

export interface SiteBuilderDependencies {
  /** `current` is the live release, whose share images are used again; none unless told. */
  paths: Pick<InstancePaths, "artifacts" | "builders" | "compiledSites"> & {
    current?: string;
    /** The program's compiled code for builders; not kept unless told. */
    builderCode?: string;
  };
  limits: Limits["build"];
  sandbox: SandboxMode;
  /** The turns of this site among others; without, only its own builds wait for each other. */
  slots?: Slots;
  /** How much disk space the site may use; without, as much as there is. */
  quota?: DiskQuota;
  /** What holds builds to their memory; found out by trying unless given. */
  memory?: MemoryGuard;
  log: Log;
  clock: Clock;
}

/** Seconds added to a build's time for each source file and record. */
const secondsPerPage = 0.05;
const maxOutputFiles = 200_000;
/** How many share images a build may draw that somebody waits for: those of the pages it is about. */
const awaitedShareImages = 4;
/** A preview is usually published soon. For 10,000 pages, the marks of one take about 3 MB. */
const maxRecentArtifacts = 3;
/** With more records than this nothing is noted of where elements come from: it costs time. */
const maxTaggedRecords = 3000;

/** Bytes of memory added to a build's for each record beyond so many. */
const memoryPerRecord = 64 * 1024;
const recordsWithin = 5000;

function boundsOf(limits: Limits["build"], records: number): SandboxBounds {
  const more = Math.max(0, records - recordsWithin) * memoryPerRecord;
  return {
    // Rolldown and libuv start threads by the number of processors.
    processes: limits.processes + availableParallelism(),
    memoryBytes: limits.memoryMiB * 2 ** 20 + more,
    outputBytes: limits.outputMiB * 2 ** 20,
    cpuSeconds: limits.seconds * 4,
  };
}

/** A build that fails with less room than this, in bytes, may have failed for the want of it. */
const minFreeBytes = 8 * 2 ** 20;

/** Throws `disk_full`: what Astro says of a full disk reads as if the site were at fault. */
async function assertDiskSpace(dir: string): Promise<void> {
  const { bavail, bsize } = await statfs(dir);
  if (bavail * bsize >= minFreeBytes) return;
  throw new AppError(
    "disk_full",
    "The disk is full, so the site couldn't be built. Free some space and try again.",
  );
}

interface Once {
  deps: SiteBuilderDependencies;
  store: CompiledStore;
  verified: StoredArtifact["verified"];
}

/** Whether it is noted where the elements of a build's pages come from. */
function hasTags({ tags, snapshot }: BuildJob): boolean {
  return tags ?? snapshot.projects.length <= maxTaggedRecords;
}

/** The key of the compiled code that a build of these sources needs; null: it can't be kept. */
async function keyFor(
  store: CompiledStore,
  job: BuildJob,
  code: string | null,
): Promise<string | null> {
  const { baseUrl } = job.snapshot.site;
  return code === null ? null : store.keyOf(code, { baseUrl, tags: hasTags(job) });
}

/** Stands for code of a site, whether its elements are tagged or not. */
async function codeMark(store: CompiledStore, job: BuildJob, code: string | null): Promise<string> {
  return (await keyFor(store, { ...job, tags: false }, code)) ?? "";
}

/** How many share images a build may draw. */
function maxShareImages({ shareImages }: Limits["build"], job: BuildJob): number {
  if (job.isPreviewOnly) return 0;
  return job.isInBackground ? shareImages : Math.min(shareImages, awaitedShareImages);
}

/** Rendering with code that is compiled already needs nothing that takes long to load. */
async function taskOf(store: CompiledStore, job: BuildJob): Promise<BuilderTask> {
  if (!(await exists(join(job.sourceDir, "app")))) {
    throw new AppError("not_found", "The content repository has no app folder.");
  }
  const key = await keyFor(store, job, await hashSources(job.sourceDir));
  return key !== null && (await store.has(key)) ? "render" : "compile";
}

async function buildOnce(
  builder: Builder,
  job: BuildJob,
  { deps, store, verified }: Once,
): Promise<BuiltArtifact> {
  const { bounds } = builder;
  const sources = await copySources(job.sourceDir, builder.slot);
  await writeSnapshot(join(builder.slot.site, "snapshot.json"), job.snapshot);
  const published = await linkPublishedFiles(deps.paths.current, builder.slot, verified);
  const pages = sources.files + job.snapshot.projects.length;
  const timeoutMs = (deps.limits.seconds + pages * secondsPerPage) * 1000;
  const follower = followOutput(builder.slot.out, deps.paths.artifacts, { verified });
  const key = await keyFor(store, job, sources.code);
  const compiled = key !== null && (await store.give(key, builder.slot));
  const order: BuilderJob = {
    resumeCode: await codeMark(store, job, sources.resumeCode),
    baseUrl: job.snapshot.site.baseUrl,
    tags: hasTags(job),
    shareImages: maxShareImages(deps.limits, job),
    searchParts: job.isPreviewOnly ? null : published.searchParts,
    compiled,
    keepCompiled: key !== null && !compiled,
  };
  const onUnusable = (reason: string) =>
    deps.log.info({ reason }, "compiling the site's code again");
  const run = runBuild({ builder, job, bounds, timeoutMs, order, onUnusable });
  const outcome = await run.finally(() => follower.stop());
  const followed = await follower.stop();
  if (outcome.kind !== "done") await removeFollowed(followed);
  if (outcome.kind === "aborted") throw job.signal?.reason;
  if (outcome.kind === "failed") {
    await assertDiskSpace(builder.slot.out);
    throw new BuildFailed(outcome.errors, builder.log.text(), outcome);
  }
  await linkKeptSearchParts(published, builder.slot, outcome.keptSearchParts);
  const keeping = order.keepCompiled && key !== null && store.keep(key, builder.slot);
  const kept = await readKeptFiles(published, builder.slot);
  const artifact = await storeArtifact({
    outDir: builder.slot.out,
    mediaDir: job.mediaDir,
    ...(job.withheld && { withheld: job.withheld }),
    artifactsDir: deps.paths.artifacts,
    bounds: { bytes: bounds.outputBytes, files: maxOutputFiles },
    followed,
    verified,
    ...(published.release !== null && { kept: { release: published.release, files: kept } }),
    redirects: { baseUrl: job.snapshot.site.baseUrl, list: job.snapshot.redirects },
    shareImages: { published: published.images, max: order.shareImages },
  });
  await keeping;
  await keepTagFile(builder.slot.out, artifact.dir);
  job.signal?.throwIfAborted();
  return { ...artifact, reusedCode: outcome.reusedCode };
}

/**
 * The marks of the files that this process has hashed for the last artifacts, which need not be read
 * again for the next one, or for a release.
 */
function keepRecentMarks() {
  const marks = new Map<string, StoredArtifact["verified"]>();
  return {
    find: (sha: string) => marks.get(sha),
    latest: () => [...marks.values()].at(-1) ?? new Map<string, string>(),
    add({ sha, verified }: BuiltArtifact) {
      if (verified.size === 0) return;
      marks.delete(sha);
      marks.set(sha, verified);
      for (const old of [...marks.keys()].slice(0, -maxRecentArtifacts)) marks.delete(old);
    },
  };
}

async function openTier({ paths, sandbox, log }: SiteBuilderDependencies, bounds: SandboxBounds) {
  await removeLeftovers(paths.builders);
  const { tier, reason } = await chooseTier(sandbox, paths.builders, bounds);
  if (reason !== null) log.warn({ tier, reason }, "builds are not fully contained");
  return { tier, reason };
}

/**
 * Builds sites in a sandbox whose tier is found by trying it. Between `prepare` and ten minutes after
 * the last use, builders are kept warm unless the limits say no: Astro loaded and run once on the
 * template, waiting in its sandbox for the next job. The one after it is started when no build runs.
 * Throws AppError `unavailable` when `sandbox` is `require` and can't be had.
 */
// oxlint-disable-next-line max-lines-per-function -- one closure over one state, in short parts
export async function makeSiteBuilder(deps: SiteBuilderDependencies): Promise<SiteBuilder> {
  const { paths, log, clock, slots = unlimitedSlots } = deps;
  // Those of the last build: the next site is probably as large.
  let bounds = boundsOf(deps.limits, 0);
  const { tier, reason } = await openTier(deps, bounds);
  const turns = makeBuildTurns(Math.max(1, Math.floor(availableParallelism() / 2)));
  const memory = deps.memory ?? (await openMemoryGuard());
  const store = openCompiledStore(paths.compiledSites);
  const code = paths.builderCode === undefined ? null : await openCodeCache(paths.builderCode);
  const pool = makeBuilderPool({ buildersDir: paths.builders, tier, memory, log, clock, code });
  const recent = keepRecentMarks();
  // While builds run, those that are warm already are enough; the end of the last one prepares again.
  const prepare = () => {
    if (deps.limits.warm && turns.isIdle()) pool.prepare(bounds);
  };

  const compileCode = async () => {
    await pool.compileCode(bounds).catch((error: unknown) => {
      log.warn({ err: error }, "the builders' code can't be compiled ahead");
    });
  };

  const buildInTurn = async (job: BuildJob): Promise<BuiltArtifact> => {
    bounds = boundsOf(deps.limits, job.snapshot.projects.length);
    const builder = await pool.take(await taskOf(store, job), bounds);
    try {
      const verified = recent.latest();
      const artifact = await buildOnce(builder, job, { deps, store, verified });
      recent.add(artifact);
      return artifact;
    } finally {
      pool.dispose(builder);
    }
  };

  return {
    tier,
    reason,
    memory: memory.kind,
    async build(job) {
      const started = clock.monotonic();
      await deps.quota?.assertReserve();
      try {
        const artifact = await turns.run(job, (signal) =>
          slots.run(() => buildInTurn({ ...job, signal }), signal),
        );
        return { ...artifact, durationMs: Math.round(clock.monotonic() - started) };
      } finally {
        prepare();
      }
    },
    verifiedFiles: recent.find,
    prepare,
    compileCode,
    async waitUntilWarm() {
      prepare();
      await pool.waitUntilWarm();
    },
    async tidy() {
      await pool.tidy();
      if (turns.isIdle()) await compileCode();
    },
    close: async () => {
      await turns.close(new AppError("unavailable", "The builder is shutting down."));
      await pool.close();
    },
  };
}
