import { join } from "node:path";
import type { Clock } from "../../kit/clock.ts";
import { AppError, toAppError } from "../../kit/errors.ts";
import { sha256Hex } from "../../kit/hash.ts";
import { isoTime } from "../../kit/time.ts";
import { newUlid } from "../../kit/ulid.ts";
import type { Db } from "../../platform/db/connect.ts";
import { openLock, type ProcessLock } from "../../platform/lock.ts";
import type { Log } from "../../platform/log.ts";
import type { InstancePaths } from "../../platform/paths.ts";
import { isStored } from "../release/artifact/stored-artifacts.ts";
import { type Artifact, BuildFailed, type SiteBuilder } from "../release/builder/build.ts";
import { lastStartedId, listRebuilds } from "../release/rebuild-store.ts";
import { recordsHash, type SiteRecords } from "../release/snapshot.ts";
import { mainHead, type Repository } from "../workspace/git.ts";
import {
  createWorkspace,
  removeFinishedWorkspace,
  listWorkspaces,
  removeWorkspace,
} from "../workspace/workspace.ts";
import {
  type MembersBuildProject,
  deleteBuild,
  clearBuildFailure,
  hasMembersPages,
  listBuilds,
  publicIds,
  listProjectStates,
  saveBuild,
  saveBuildFailure,
  type StoredBuild,
} from "./build-store.ts";

export interface MembersBuildsDependencies {
  db: Db;
  clock: Clock;
  log: Log;
  paths: Pick<InstancePaths, "data" | "artifacts">;
  repository: Repository;
  builder: SiteBuilder;
  /** The published records with these restricted projects included. */
  records(restricted: readonly number[]): Promise<SiteRecords>;
  /** `app/public/media` of the content repository. */
  mediaDir: string;
  /** How often to check for changes, in ms; defaults to 2,000. */
  pollMs?: number;
  /** Held while builds are made; by default that of the processes on this machine. */
  lock?: ProcessLock;
  /** Has a build on this node that another one has made; none if there is one node. */
  fetchArtifact?: ((sha: string) => Promise<void>) | undefined;
}

/**
 * The result of a check: `waiting` while the public site has to be rebuilt, or another process is
 * building.
 */
export type MembersBuildOutcome = "none" | "waiting" | "unchanged" | "looked";

/** Makes the builds for restricted projects, in the runner process. */
export interface MembersBuilds {
  /** Checks now and then regularly. */
  start(): void;
  /** Checks soon, because the site has changed. */
  wake(): void;
  /** Checks once and builds what is outdated; with `force`, everything. */
  runOnce(deps?: { force?: boolean }): Promise<MembersBuildOutcome>;
  /** Aborts the running build and waits for it to end. */
  close(): Promise<void>;
}

/** A build that should exist. */
interface WantedBuild {
  name: string;
  projects: MembersBuildProject[];
}

/** Failed builds are retried after this time even without changes, in ms. */
const retryMs = 5 * 60_000;

const workspacePattern = /^members-/;

/** One build for everything for members, and one for each invite-only project. */
async function wantedBuilds(db: Db): Promise<WantedBuild[]> {
  const projectStates = await listProjectStates(db, []);
  const published = projectStates.filter(({ status }) => status === "published");
  const asBuilt = ({ id, slug, version }: MembersBuildProject) => ({ id, slug, version });
  const members = published.filter(({ audience }) => audience === "members").map(asBuilt);
  const invited = published
    .filter(({ audience }) => audience === "invited")
    .map((project) => ({ name: `project-${project.id}`, projects: [asBuilt(project)] }));
  return [...(members.length > 0 ? [{ name: "members", projects: members }] : []), ...invited];
}

/** Explains to the owner why a build failed. */
function explain(error: unknown): string {
  if (error instanceof BuildFailed) return error.errors[0] ?? error.message;
  return toAppError(error).message;
}

/** Builds `main` with these records in a separate workspace. */
async function buildMain(
  { clock, repository, builder, mediaDir }: MembersBuildsDependencies,
  records: SiteRecords,
  signal: AbortSignal,
): Promise<Artifact> {
  const name = `members-${newUlid(clock.now())}`;
  try {
    const { dir: sourceDir } = await createWorkspace(repository, name);
    signal.throwIfAborted();
    return await builder.build({ sourceDir, ...records, mediaDir, signal, isPreviewOnly: true });
  } finally {
    await removeFinishedWorkspace(repository, name);
  }
}

/** Makes one build unless its input is unchanged. */
async function makeBuild(
  deps: MembersBuildsDependencies,
  { name, projects }: WantedBuild,
  before: StoredBuild | undefined,
  signal: AbortSignal,
): Promise<void> {
  const { db, clock, log, paths, repository } = deps;
  try {
    const head = await mainHead(repository);
    const publicBefore = await publicIds(db);
    const records = await deps.records(projects.map(({ id }) => id));
    const published = [...new Set([...publicBefore, ...(await publicIds(db))])];
    const madeOf = sha256Hex(JSON.stringify([head, recordsHash(records), projects]));
    const isSame = before?.inputHash === madeOf && before.artifact !== null;
    if (isSame && before.artifact !== null) {
      // One that is lost is made again.
      await deps.fetchArtifact?.(before.artifact).catch(() => {});
    }
    if (isSame && (await isStored(join(paths.artifacts, before.artifact ?? "")))) {
      if (before.error !== null) await clearBuildFailure(db, name);
      return;
    }
    const { sha } = await buildMain(deps, records, signal);
    const builtAt = isoTime(clock.now());
    await saveBuild(db, {
      name,
      inputHash: madeOf,
      projects,
      publicIds: published,
      artifact: sha,
      builtAt,
    });
  } catch (error) {
    signal.throwIfAborted();
    log.error(
      { err: error, build: name },
      "a build for members failed; the previous one stays in use",
    );
    const failure = { name, error: explain(error), failedAt: isoTime(clock.now()) };
    await saveBuildFailure(db, failure);
  }
}

/** Brings all builds up to date. The caller holds the lock. */
async function makeAll(deps: MembersBuildsDependencies, signal: AbortSignal): Promise<void> {
  const { db, repository } = deps;
  for (const name of await listWorkspaces(repository)) {
    if (workspacePattern.test(name)) await removeWorkspace(repository, name);
  }
  const wanted = await wantedBuilds(db);
  const present = new Map((await listBuilds(db)).map((build) => [build.name, build]));
  for (const name of present.keys()) {
    if (!wanted.some((build) => build.name === name)) await deleteBuild(db, name);
  }
  for (const build of wanted) {
    signal.throwIfAborted();
    await makeBuild(deps, build, present.get(build.name), signal);
  }
}

/** Whether the public site is about to change; members' builds follow it. */
async function isRebuilding(db: Db): Promise<boolean> {
  const pending = await listRebuilds(db, "pending");
  return pending.length > 0 || (await listRebuilds(db, "building")).length > 0;
}

/** A cheap check whether anything can have changed since the last check. */
async function buildInputs({ db, repository }: MembersBuildsDependencies): Promise<string> {
  const wanted = await wantedBuilds(db);
  return JSON.stringify([await mainHead(repository), await lastStartedId(db), wanted]);
}

/** Held while members' builds are made, by one process of this machine. */
export function openMembersLock(paths: Pick<InstancePaths, "data">): ProcessLock {
  return openLock(join(paths.data, "members.lock"));
}

/** Creates the builder of members' builds; one build at a time across the instance's processes. */
export function makeMembersBuilds(deps: MembersBuildsDependencies): MembersBuilds {
  const { db, clock, log, paths, pollMs = 2000 } = deps;
  const lock = deps.lock ?? openMembersLock(paths);
  const closing = new AbortController();
  const { signal } = closing;
  let last = { ground: "", at: Number.NEGATIVE_INFINITY };
  let polling: Promise<unknown> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  let isPolling = false;
  let isWakePending = false;

  async function runOnce({ force = false } = {}): Promise<MembersBuildOutcome> {
    if (!(await hasMembersPages(db))) return "none";
    if (await isRebuilding(db)) return "waiting";
    // Changes during a build are found by the next check.
    const ground = await buildInputs(deps);
    const isRecent = clock.monotonic() - last.at < retryMs;
    if (!force && isRecent && ground === last.ground) return "unchanged";
    try {
      await lock.run(() => makeAll(deps, signal), { waitMs: 0, signal });
    } catch (error) {
      if (error instanceof AppError && error.code === "locked") return "waiting";
      throw error;
    }
    last = { ground, at: clock.monotonic() };
    return "looked";
  }

  async function poll(): Promise<void> {
    isPolling = true;
    try {
      do {
        isWakePending = false;
        await runOnce();
      } while (isWakePending && !signal.aborted);
    } catch (error) {
      if (!signal.aborted) log.error({ err: error }, "checking for members' builds failed");
    }
    isPolling = false;
    schedule(pollMs);
  }

  function schedule(inMs: number): void {
    clearTimeout(timer);
    if (signal.aborted) return;
    timer = setTimeout(() => {
      polling = poll();
    }, inMs);
  }

  return {
    start: () => schedule(0),
    wake() {
      isWakePending = true;
      if (!isPolling && timer !== undefined) schedule(0);
    },
    runOnce,
    async close() {
      closing.abort(new AppError("unavailable", "The server is shutting down."));
      clearTimeout(timer);
      await polling;
      lock.close();
    },
  };
}
