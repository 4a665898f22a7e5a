import { dirname } from "node:path";
import type { Clock } from "../../kit/clock.ts";
import { makeSemaphore } from "../../kit/concurrency.ts";
import { AppError } from "../../kit/errors.ts";
import { sha256Hex } from "../../kit/hash.ts";
import { newUlid } from "../../kit/ulid.ts";
import type { Db } from "../../platform/db/connect.ts";
import { withCreationDefaults } from "../projects/creation-defaults.ts";
import type { ProjectCreate } from "../projects/schema.ts";
import { findProject } from "../projects/store.ts";
import { mainHead, type Repository } from "../workspace/git.ts";
import {
  createWorkspace,
  removeFinishedWorkspace,
  listWorkspaces,
  removeWorkspace,
} from "../workspace/workspace.ts";
import { removeReferencesOf, writeReferences } from "./artifact/artifact-references.ts";
import type { Artifact, SiteBuilder } from "./builder/build.ts";
import { type ProjectShownAnyway, projectPath } from "./export.ts";
import { recordsHash, type SiteRecords } from "./snapshot.ts";

/** The previews of records that other nodes can show. */
export interface SharedPreviews {
  /** Adds a preview, or has one last as long again. */
  put(id: string, artifact: string): Promise<void>;
  /** The artifact of a preview; undefined if it is unknown or too old. */
  find(id: string): Promise<string | undefined>;
  /** The artifacts of all of them, which must be kept. */
  artifacts(): Promise<string[]>;
}

export interface RecordPreviewDependencies {
  db: Db;
  clock: Clock;
  repository: Repository;
  builder: SiteBuilder;
  /** The published records, including this project whatever its status. */
  records(record: ProjectShownAnyway): Promise<SiteRecords>;
  /** `app/public/media` of the content repository. */
  mediaDir: string;
  artifactsDir: string;
  /** The ID of this runner in the instance. */
  runnerId: string;
  /** Whether another runner is gone. */
  isGone(runnerId: string): Promise<boolean>;
  /** Null or none if the instance is on one disk. */
  shared?: SharedPreviews | null | undefined;
}

/**
 * Private builds of `main` in which one record is shown as if it were published. They are kept in
 * memory: they end with the process, and no other process shows them, unless nodes share them.
 */
export interface RecordPreviews {
  /**
   * Builds the site with the saved state of the project, unless that was just done. `id` identifies
   * the preview, `path` is the project's page in it. Throws `not_found`, `throttled` if too many
   * are being built, and BuildFailed.
   */
  make(projectId: number): Promise<{ id: string; path: string }>;
  /**
   * The same for a project that isn't stored, and isn't stored by this: as it would be if it were
   * created now. Also throws the errors of creating it: `validation_failed`, `already_exists`.
   */
  makeUnsaved(fields: ProjectCreate): Promise<{ id: string; path: string }>;
  /** The artifact of a preview of this process; undefined if there is none any more. */
  artifactOf(id: string): string | undefined;
  /** The artifact of a preview that another node has made; undefined if there is none any more. */
  sharedArtifactOf(id: string): Promise<string | undefined>;
  /** The artifacts of previews, which must be kept. */
  artifacts(): string[];
  /** At startup and when a runner is gone: removes dead runners' workspaces and references. */
  recover(): Promise<void>;
  /** Aborts running builds and waits for them. No preview is shown any more. */
  close(): Promise<void>;
}

/** How many previews are kept; the least recently requested one is dropped first. */
const maxPreviews = 10;
/** How long a preview is kept, in ms: as long as a session may be unused. */
export const previewLifetimeMs = 12 * 60 * 60_000;
const maxConcurrentBuilds = 4;

const workspacePrefix = "preview-";

/**
 * The runner that builds in this workspace; null if it belongs to no runner, undefined for another
 * kind.
 */
function builderOf(workspace: string): string | null | undefined {
  if (!workspace.startsWith(workspacePrefix)) return undefined;
  return /^preview-([0-9A-Z]+)-/.exec(workspace)?.[1] ?? null;
}

interface CachedPreview {
  id: string;
  artifactSha: string;
}

/** Identifies a build's input: the same input is the same preview. */
async function fingerprint(
  repository: Repository,
  slug: string,
  records: SiteRecords,
): Promise<string> {
  return sha256Hex([slug, await mainHead(repository), recordsHash(records)].join("\n"));
}

/**
 * The time of an unsaved record, constant so that the same record always gives the same preview.
 */
const placeholderTime = "1970-01-01T00:00:00.000Z";

/** Builds `main`, without manual edits, in a separate workspace. */
async function buildMain(
  deps: RecordPreviewDependencies,
  id: string,
  records: SiteRecords,
  signal: AbortSignal,
): Promise<Artifact> {
  const { repository, builder, mediaDir, runnerId } = deps;
  const name = `${workspacePrefix}${runnerId}-${id}`;
  try {
    const { dir: sourceDir } = await createWorkspace(repository, name);
    signal.throwIfAborted();
    return await builder.build({ sourceDir, ...records, mediaDir, signal, isPreviewOnly: true });
  } finally {
    await removeFinishedWorkspace(repository, name);
  }
}

interface PreviewCache {
  /**
   * Adds a preview as the most recent one and removes surplus ones; tells other processes, which
   * have to keep its artifact.
   */
  keep(key: string, preview: CachedPreview): Promise<CachedPreview>;
  get(key: string): CachedPreview | undefined;
  artifactOf(id: string): string | undefined;
  all(): CachedPreview[];
  /** Removes all. */
  clear(): Promise<void>;
}

/** The existing previews by fingerprint, the most recently requested last. */
function makePreviewCache({
  clock,
  artifactsDir,
  runnerId,
}: RecordPreviewDependencies): PreviewCache {
  const previews = new Map<string, CachedPreview & { askedAt: number }>();
  const mutex = makeSemaphore(1);
  const dropPast = () => {
    const now = clock.monotonic();
    for (const [key, { askedAt: requestedAt }] of previews)
      if (now - requestedAt >= previewLifetimeMs) previews.delete(key);
  };
  const write = () => {
    const left = ({ askedAt: requestedAt }: { askedAt: number }) =>
      requestedAt + previewLifetimeMs - clock.monotonic();
    const record = [...previews.values()].map((cachedPreview) => {
      return { sha: cachedPreview.artifactSha, until: clock.now() + left(cachedPreview) };
    });
    return writeReferences(artifactsDir, runnerId, record);
  };
  /** One at a time, so that the last report is the newest. */
  const report = () => mutex.run(write);
  return {
    async keep(key, preview) {
      previews.delete(key);
      previews.set(key, { ...preview, askedAt: clock.monotonic() });
      for (const oldest of previews.keys()) {
        if (previews.size <= maxPreviews) break;
        previews.delete(oldest);
      }
      await report();
      return preview;
    },
    get(key) {
      dropPast();
      return previews.get(key);
    },
    artifactOf(id) {
      dropPast();
      return [...previews.values()].find((preview) => preview.id === id)?.artifactSha;
    },
    all() {
      dropPast();
      return [...previews.values()];
    },
    clear() {
      previews.clear();
      return report();
    },
  };
}

/** Removes what gone runners left: workspaces of previews, and their references. */
async function removeLeftovers(deps: RecordPreviewDependencies): Promise<void> {
  const { repository, artifactsDir, runnerId } = deps;
  const isGone = async (id: string) => id !== runnerId && deps.isGone(id);
  for (const name of await listWorkspaces(repository)) {
    const builder = builderOf(name);
    if (builder === undefined) continue;
    if (builder === null || (await isGone(builder))) await removeWorkspace(repository, name);
  }
  await removeReferencesOf(artifactsDir, isGone);
}

function tooManyBuilds(): AppError {
  return new AppError("throttled", "Too many previews are being built. Try again in a moment.", {
    headers: { "retry-after": "5" },
  });
}

/** Creates the record previews of this instance, in the runner process. */
export function makeRecordPreviews(deps: RecordPreviewDependencies): RecordPreviews {
  const { db, clock, repository } = deps;
  const cache = makePreviewCache(deps);
  const building = new Map<string, Promise<CachedPreview>>();
  const closing = new AbortController();

  async function build(key: string, records: SiteRecords): Promise<CachedPreview> {
    const id = newUlid(clock.now());
    const { sha } = await buildMain(deps, id, records, closing.signal);
    await deps.shared?.put(id, sha);
    return cache.keep(key, { id, artifactSha: sha });
  }

  async function shared(key: string, records: SiteRecords): Promise<CachedPreview> {
    const cached = cache.get(key);
    if (cached) {
      await deps.shared?.put(cached.id, cached.artifactSha);
      return cache.keep(key, cached);
    }
    const underWay = building.get(key);
    if (underWay) return underWay;
    closing.signal.throwIfAborted();
    if (building.size >= maxConcurrentBuilds) throw tooManyBuilds();
    const result = build(key, records).finally(() => building.delete(key));
    building.set(key, result);
    return result;
  }

  async function show(
    slug: string,
    record: ProjectShownAnyway,
  ): Promise<{ id: string; path: string }> {
    const records = await deps.records(record);
    const { id } = await shared(await fingerprint(repository, slug, records), records);
    return { id, path: projectPath(slug) };
  }

  return {
    async make(projectId) {
      const project = await findProject(db, { id: projectId });
      if (!project) throw new AppError("not_found", "This project doesn't exist.");
      return show(project.slug, projectId);
    },
    async makeUnsaved(fields) {
      const mediaRoot = dirname(deps.mediaDir);
      const times = { createdAt: placeholderTime, updatedAt: placeholderTime };
      const project = { ...(await withCreationDefaults({ db, mediaRoot }, fields)), ...times };
      return show(project.slug, { ...project, id: 0, version: 0 });
    },
    artifactOf: (id) => cache.artifactOf(id),
    sharedArtifactOf: async (id) => deps.shared?.find(id),
    artifacts: () => cache.all().map((preview) => preview.artifactSha),
    recover: () => removeLeftovers(deps),
    async close() {
      closing.abort(
        new AppError("unavailable", "The server is shutting down. Try again in a moment."),
      );
      await Promise.allSettled(building.values());
      await cache.clear();
    },
  };
}
