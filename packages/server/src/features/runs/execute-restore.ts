import { AppError } from "../../kit/errors.ts";
import { isoTime } from "../../kit/time.ts";
import { stageUndo, stageVersion, type VersionChanges } from "../projects/run-changes/inverse.ts";
import { prepareRestore, prepareVersion } from "../release/restore.ts";
import { workspaceDiff } from "../workspace/workspace.ts";
import { advanceRun, buildWorkspace, createRunWorkspace, type Execution } from "./execution.ts";
import { finishPreview } from "./inspect-preview.ts";
import { diffRecords, toPublicChange } from "./records/record-diffs.ts";
import { commitSubject, makeRunChange } from "./run-change.ts";
import { diffColumns, readRunChange } from "./serialize-run.ts";
import { findRun, type RunRow, updateRun } from "./store.ts";

export type RestoreMode = "undo" | "version";

/** The title of a restore, from the title of the run that it names. */
export function restoreTitle(mode: RestoreMode, message: string): string {
  return mode === "undo" ? `Undo “${message}”` : `Go back to “${message}”`;
}

function restoreSummary(
  mode: RestoreMode,
  message: string,
  retained: VersionChanges["retained"],
): string {
  if (mode === "undo") return `Undoes “${message}”.`;
  const fields = retained.map(({ name, field }) => `${field} of “${name}”`).join(", ");
  const rest =
    fields === "" ? "" : ` Not changed, because these were edited by hand since then: ${fields}.`;
  return `Restores the site to how it was after “${message}”, including the changes that runs made to records. Media stay as they are.${rest}`;
}

async function findTarget({ deps, run }: Execution): Promise<RunRow & { commit_sha: string }> {
  const target =
    run.row.restored_run_id === null ? null : await findRun(deps.db, run.row.restored_run_id);
  if (!target?.commit_sha) throw new AppError("not_found", "The run to restore has no commit.");
  return { ...target, commit_sha: target.commit_sha };
}

/** Stages the undo of record changes by one run, or by all runs since. */
async function stageRecords(
  { deps, run }: Execution,
  target: RunRow,
  mode: RestoreMode,
): Promise<VersionChanges> {
  const { db, clock } = deps;
  const { id: runId } = run.row;
  const at = isoTime(clock.now());
  return db.transaction().execute(async (trx) => {
    if (mode === "undo") {
      return { staged: await stageUndo(trx, { runId, undone: target.id, at }), retained: [] };
    }
    return stageVersion(trx, { runId, release: target.release_number ?? 0, at });
  });
}

/**
 * Undoes one published run in a workspace of the current site, or restores the site to the state
 * after that run, and makes the preview. Throws `conflict` with the files, or RecordsChanged, if
 * later changes prevent an undo, `invalid_state` if there is nothing to do, BuildFailed if the
 * result doesn't build, BlankPages.
 */
export async function executeRestore(execution: Execution): Promise<void> {
  const { db, clock, repository } = execution.deps;
  const { row, request } = execution.run;
  // Read once, because the name can change while the run works.
  const actor = execution.deps.owner.name;
  const target = await findTarget(execution);
  const mode = request.restore ?? "undo";
  const { instruction, model } = row;
  await advanceRun(execution, "queued", { status: "running", started_at: isoTime(clock.now()) }, [
    { type: "run.started", data: { instruction, model, actor } },
  ]);
  const workspace = await createRunWorkspace(execution);
  const prepare = mode === "undo" ? prepareRestore : prepareVersion;
  const { staged, retained } = await stageRecords(execution, target, mode);
  const hasRecordChanges = staged.length > 0;
  await prepare(repository, workspace, target.commit_sha, { hasRecordChanges });
  const { files: changed } = await workspaceDiff(repository, workspace);
  const files = [...changed, ...(await diffRecords(db, staged))];
  const message = commitSubject(restoreTitle(mode, target.message), files);
  const summary = restoreSummary(mode, target.message, retained);
  const work = { workspace, actor, files, message, summary };
  const made = makeRunChange({ ...work, at: isoTime(clock.now()) });
  // If visitors were told about the change, they are told about its undo, too.
  const before = mode === "undo" ? readRunChange(target) : null;
  const wasTold = before !== null && before.isHidden !== true;
  const whole = wasTold ? { ...made, isHidden: false } : made;
  const change = await toPublicChange(db, whole, { diffs: files, records: staged });
  await updateRun(db, row.id, diffColumns(files));
  await advanceRun(execution, "running", { status: "building" });
  const built = await buildWorkspace(execution, { workspace, change }, 1);
  if ("failure" in built) throw built.failure;
  await finishPreview(execution, work, change, built.result);
}
