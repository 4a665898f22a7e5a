import { AppError } from "../../kit/errors.ts";
import { ulidPattern } from "../../kit/ulid.ts";
import type { Db } from "../../platform/db/connect.ts";
import { usesOfRuns } from "../agent/ledger/store.ts";
import { findReleaseCommit } from "../release/store.ts";
import { blameLine, blameWorkspace, type LineOrigin, type SourceLine } from "../workspace/blame.ts";
import { mainHead } from "../workspace/git.ts";
import { openWorkspace } from "../workspace/workspace.ts";
import type { RunDependencies } from "./run-dependencies.ts";
import type { Blame } from "./schema.ts";
import { findRun, requireRun, type RunRow } from "./store.ts";

/** The commit whose files visitors see; the newest one if the release was made without its own. */
async function liveCommit({
  db,
  repository,
  readCurrentRelease: currentRelease,
}: RunDependencies): Promise<string> {
  const release = await currentRelease();
  const commit = release === null ? null : await findReleaseCommit(db, release);
  return commit ?? mainHead(repository);
}

async function originIn(deps: RunDependencies, row: RunRow, at: SourceLine): Promise<LineOrigin> {
  const workspace = await openWorkspace(deps.repository, row.id).catch(() => null);
  if (workspace !== null) return blameWorkspace(deps.repository, workspace, at);
  if (row.commit_sha !== null) return blameLine(deps.repository, row.commit_sha, at);
  throw new AppError("not_found", "The files of this run have been deleted.");
}

async function runIn(db: Db, row: RunRow): Promise<NonNullable<Blame["run"]>> {
  const { id, instruction, model, cost, status } = row;
  const currency = (await usesOfRuns(db, [id])).get(id)?.currency ?? null;
  const tokens = { inputTokens: row.input_tokens, outputTokens: row.output_tokens };
  return { id, instruction, model, ...tokens, cost, currency, status };
}

/** Who last changed a line of the live site, or of a run's preview. */
export async function blame(
  deps: RunDependencies,
  { runId, ...at }: SourceLine & { runId?: string | undefined },
): Promise<Blame> {
  const { db, repository } = deps;
  const viewed = runId === undefined ? null : await requireRun(deps.db, runId);
  const origin = viewed
    ? await originIn(deps, viewed, at)
    : await blameLine(repository, await liveCommit(deps), at);
  if (origin.commit === null && viewed) {
    const { actor, instruction: message, created_at } = viewed;
    const since = viewed.started_at ?? created_at;
    return { ...at, commit: null, actor, at: since, message, run: await runIn(db, viewed) };
  }
  // A commit's claim about its run counts only if that run exists.
  const named = origin.runId !== null && ulidPattern.test(origin.runId) ? origin.runId : null;
  const row = named === null ? null : await findRun(db, named);
  return {
    ...at,
    commit: origin.commit,
    actor: row?.actor ?? origin.author,
    at: origin.at,
    message: origin.subject,
    run: row && (await runIn(db, row)),
  };
}
