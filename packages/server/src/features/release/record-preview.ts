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

export interface RecordPreviewDependencies {
  db: Db;
  clock: Clock;
  repository: Repository;
  builder: SiteBuilder;
  /** The published records, and among them this project whatever its status. */
  records(record: ProjectShownAnyway): Promise<SiteRecords>;
  /** `app/public/media` of the content repository. */
  mediaDir: string;
  artifactsDir: string;
  /** Which of the runners of this instance this is. */
  runnerId: string;
  /** Whether another runner works no more. */
  isGone(runnerId: string): Promise<boolean>;
}

/**
 * Private builds of the site as `main` has it, in which one record stands as if it were published.
 * They are kept in memory: a restart of the process ends them, and no other process shows them.
 */
export interface RecordPreviews {
  /**
   * Builds the site with what is saved of the project now, unless that was just done. `id` names the
   * preview, `path` is the project's page in it. Throws `not_found`, `throttled` when too many are
   * being built, and BuildFailed.
   */
  make(projectId: number): Promise<{ id: string; path: string }>;
  /**
   * The same of a project that is not stored, and is not stored by this: as it would be if it were
   * created now. Throws also what creating it throws: `validation_failed`, `already_exists`.
   */
  makeUnsaved(fields: ProjectCreate): Promise<{ id: string; path: string }>;
  /** The artifact of a preview; undefined when there is none, or none any more. */
  artifactOf(id: string): string | undefined;
  /** The artifacts that previews show, which must stay. */
  artifacts(): string[];
  /** At boot and when a runner is gone: removes what dead runners were building in, and showed. */
  recover(): Promise<void>;
  /** Gives up the builds under way and waits for them. No preview is shown any more. */
  close(): Promise<void>;
}

/** How many previews are kept; the one asked for longest ago goes first. */
const maxPreviews = 10;
/** How long a preview is kept, in ms: as long as a session may stay unused. */
const previewLifetimeMs = 12 * 60 * 60_000;
const maxConcurrentBuilds = 4;

const workspacePrefix = "preview-";

/** The runner that builds in this workspace; null for one of no runner, undefined for another kind. */
function builderOf(workspace: string): string | null | undefined {
  if (!workspace.startsWith(workspacePrefix)) return undefined;
  return /^preview-([0-9A-Z]+)-/.exec(workspace)?.[1] ?? null;
}

interface CachedPreview {
  id: string;
  artifactSha: string;
}

/** What a build is made of: the same again is the same preview. */
async function fingerprint(
  repository: Repository,
  slug: string,
  records: SiteRecords,
): Promise<string> {
  return sha256Hex([slug, await mainHead(repository), recordsHash(records)].join("\n"));
}

/** The time of a record that was never stored: the same for the same record, whenever it is shown. */
const placeholderTime = "1970-01-01T00:00:00.000Z";

/** Builds what `main` holds, not what somebody is editing by hand, in a workspace of its own. */
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
   * Puts a preview at the end of the line, and away what is then too many; says so to the other
   * processes, for they must leave its artifact where it is.
   */
  keep(key: string, preview: CachedPreview): Promise<CachedPreview>;
  get(key: string): CachedPreview | undefined;
  all(): CachedPreview[];
  /** Puts all away. */
  clear(): Promise<void>;
}

/** The previews that may be looked at, by fingerprint, the one asked for last at the end. */
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
  /** One time after the other: the last word is the newest. */
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

/** Removes what runners left that work no more: workspaces that previews were built in, their shelves. */
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

/** Makes the record previews of this instance. The runner process makes one. */
export function makeRecordPreviews(deps: RecordPreviewDependencies): RecordPreviews {
  const { db, clock, repository } = deps;
  const cache = makePreviewCache(deps);
  const building = new Map<string, Promise<CachedPreview>>();
  const closing = new AbortController();

  async function build(key: string, records: SiteRecords): Promise<CachedPreview> {
    const id = newUlid(clock.now());
    const { sha } = await buildMain(deps, id, records, closing.signal);
    return cache.keep(key, { id, artifactSha: sha });
  }

  async function shared(key: string, records: SiteRecords): Promise<CachedPreview> {
    const cached = cache.get(key);
    if (cached) return cache.keep(key, cached);
    const underWay = building.get(key);
    if (underWay) return underWay;
    closing.signal.throwIfAborted();
    if (building.size >= maxConcurrentBuilds) {
      throw new AppError("throttled", "Too many previews are being built.", {
        headers: { "retry-after": "5" },
      });
    }
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
    artifactOf: (id) => cache.all().find((preview) => preview.id === id)?.artifactSha,
    artifacts: () => cache.all().map((preview) => preview.artifactSha),
    recover: () => removeLeftovers(deps),
    async close() {
      closing.abort(new AppError("unavailable", "The server is shutting down."));
      await Promise.allSettled(building.values());
      await cache.clear();
    },
  };
}
