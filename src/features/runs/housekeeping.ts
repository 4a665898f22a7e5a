import { join } from "node:path";
import type { Clock } from "../../kit/clock.ts";
import { isoTime } from "../../kit/time.ts";
import { ulidPattern } from "../../kit/ulid.ts";
import type { Db } from "../../platform/db/connect.ts";
import { removeTree } from "../../platform/files.ts";
import { pruneArtifacts } from "../release/artifact/prune.ts";
import { readShown } from "../release/artifact/shown.ts";
import type { Publisher } from "../release/publish.ts";
import { unfinishedIntents } from "../release/store.ts";
import type { Repository } from "../workspace/git.ts";
import { listWorkspaces, removeWorkspace } from "../workspace/workspace.ts";
import { dropConversations } from "./conversation-store.ts";
import type { RunEvents } from "./events.ts";
import { isUnderWay } from "./publishing.ts";
import { activeStatuses, openStatuses } from "./run.ts";
import type { Registry } from "./runners/registry.ts";
import { ownersOf } from "./runners/store.ts";
import { artifactsOf, findRun, type RunRow, runsIn } from "./store.ts";

export interface HousekeepingOptions {
  db: Db;
  clock: Clock;
  events: RunEvents;
  repository: Repository;
  artifactsDir: string;
  /** How many artifacts are kept besides those of open runs. */
  keepArtifacts: number;
}

/** What any process of the instance shows, or is about to make live. */
async function artifactsInUse({
  db,
  clock,
  artifactsDir,
}: HousekeepingOptions): Promise<Set<string>> {
  const [ofRuns, shown, intents] = await Promise.all([
    artifactsOf(db, openStatuses),
    readShown(artifactsDir, clock.now()),
    unfinishedIntents(db),
  ]);
  return new Set([...ofRuns, ...shown, ...intents.map((intent) => intent.artifact)]);
}

/** How long an interrupted run's workspace and conversation are kept, in ms. */
const interruptedKept = 24 * 60 * 60 * 1000;

/** Whether all that an interrupted run left is still kept. */
export function isKept(row: RunRow, now: number): boolean {
  if (row.status !== "interrupted") return false;
  return now - Date.parse(row.finished_at ?? row.created_at) < interruptedKept;
}

export interface SettlingOptions extends HousekeepingOptions {
  /** This runner, and who else works on the instance. */
  runnerId: string;
  registry: Pick<Registry, "isGone">;
  publisher: Pick<Publisher, "recover">;
}

type IsNobodys = (owner: string | undefined) => Promise<boolean>;

/** Of these runs, those that nobody works on any more. */
async function nobodys(db: Db, rows: readonly RunRow[], isNobodys: IsNobodys): Promise<string[]> {
  const ids = rows.map((row) => row.id);
  // Asked after the runs were read: who is gone by then has begun all of them before.
  const owners = await ownersOf(db, ids);
  const asked = new Map<string | undefined, Promise<boolean>>();
  const left: string[] = [];
  for (const id of ids) {
    const owner = owners.get(id);
    const answer = asked.get(owner) ?? isNobodys(owner);
    asked.set(owner, answer);
    if (await answer) left.push(id);
  }
  return left;
}

async function interrupt({ events, clock }: HousekeepingOptions, runId: string): Promise<void> {
  const error = "The server stopped during this run.";
  await events.transition(
    runId,
    activeStatuses,
    { status: "interrupted", error, finished_at: isoTime(clock.now()) },
    [{ type: "run.finished", data: { status: "interrupted", error } }],
  );
}

async function settle(options: SettlingOptions, isNobodys: IsNobodys): Promise<void> {
  const { db, events, publisher } = options;
  for (const id of await nobodys(db, await runsIn(db, activeStatuses), isNobodys)) {
    await interrupt(options, id);
  }
  const publishing = await nobodys(db, await runsIn(db, ["publishing"]), isNobodys);
  // One whose publish has a record is the publisher's to settle.
  if (publishing.length > 0) await publisher.recover();
  for (const id of publishing) {
    if (await isUnderWay(db, id)) continue;
    await events.transition(id, ["publishing"], { status: "preview_ready" });
  }
}

/**
 * Settles at boot what earlier processes left unfinished and no living one works on: what was being
 * worked on is interrupted, a publish that never began is ready again.
 */
export function settleUnfinished(options: SettlingOptions): Promise<void> {
  const { registry, runnerId } = options;
  return settle(options, async (owner) => {
    return owner === undefined || owner === runnerId || registry.isGone(owner);
  });
}

/** The same from time to time, for what runners leave that die while this one lives. */
export function settleGone(options: SettlingOptions): Promise<void> {
  const { registry } = options;
  return settle(options, async (owner) => owner === undefined || registry.isGone(owner));
}

async function isLeftOver(options: HousekeepingOptions, runId: string): Promise<boolean> {
  const row = await findRun(options.db, runId);
  if (!row) return true;
  if (openStatuses.includes(row.status)) return false;
  return !isKept(row, options.clock.now());
}

/** Removes the workspaces, conversations and artifacts that no run needs any more. */
export async function sweep(options: HousekeepingOptions): Promise<void> {
  const { db, clock } = options;
  await dropConversations(db, isoTime(clock.now() - interruptedKept));
  for (const name of await listWorkspaces(options.repository)) {
    if (ulidPattern.test(name) && (await isLeftOver(options, name))) {
      await removeWorkspace(options.repository, name);
    }
  }
  await pruneArtifacts(options.artifactsDir, {
    keep: options.keepArtifacts,
    inUse: await artifactsInUse(options),
    nowMs: options.clock.now(),
  });
}

/** Removes the artifact of a run that is no longer open, unless something else shows the same one. */
export async function dropArtifact(options: HousekeepingOptions, sha: string): Promise<void> {
  if ((await artifactsInUse(options)).has(sha)) return;
  const dir = join(options.artifactsDir, sha);
  await removeTree(`${dir}.json`);
  await removeTree(dir);
}
