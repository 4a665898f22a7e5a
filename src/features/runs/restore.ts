import { AppError } from "../../kit/errors.ts";
import { isoTime } from "../../kit/time.ts";
import { prepareRestore } from "../release/restore.ts";
import { workspaceDiff } from "../workspace/workspace.ts";
import { changeOf, commitSubject } from "./describe.ts";
import { advance, buildOnce, type Execution, openWork, readyPreview } from "./execute.ts";
import { changesPatch } from "./record.ts";
import { findRun, updateRun } from "./store.ts";

/**
 * Undoes one published run in a workspace on today's site and makes the preview. Throws `conflict`
 * with the files when later changes stand in the way, BuildFailed when the result doesn't build.
 */
export async function executeRestore(execution: Execution, ownerName: string): Promise<void> {
  const { row, db, clock, repository } = execution;
  const target = row.restores === null ? null : await findRun(db, row.restores);
  if (!target?.commit_sha) throw new AppError("not_found", "The run to undo has no commit.");
  const { instruction, model } = row;
  await advance(execution, "queued", { status: "running", started_at: isoTime(clock.now()) }, [
    { type: "run.started", data: { instruction, model, actor: ownerName } },
  ]);
  const workspace = await openWork(execution);
  await prepareRestore(repository, workspace, target.commit_sha);
  const { files } = await workspaceDiff(repository, workspace);
  if (files.length === 0) throw new AppError("conflict", "That change is already undone.");
  const message = commitSubject(`Undo “${target.message}”`, files);
  const summary = `Takes back “${target.message}”.`;
  const work = { workspace, actor: ownerName, files, message, summary };
  const change = changeOf({ ...work, at: isoTime(clock.now()) });
  await updateRun(db, row.id, changesPatch(files));
  await advance(execution, "running", { status: "building" });
  const built = await buildOnce(execution, { workspace, change }, 1);
  if ("failure" in built) throw built.failure;
  await readyPreview(execution, work, change, built.result);
}
