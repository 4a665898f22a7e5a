import type { Db } from "../../../platform/db/connect.ts";
import { textBeforeData } from "../../agent/prompts/untrusted-data.ts";
import {
  newDrafts,
  type RecordChange,
  runFieldsOf,
  withChanges,
} from "../../projects/run-changes/change.ts";
import { recordOf, type StagedProject } from "../../projects/run-changes/stage-change.ts";
import { listChanges } from "../../projects/run-changes/store.ts";
import { findProject, listPublished } from "../../projects/store.ts";
import { listInstructions } from "../follow-up.ts";
import { findNamedProjects, findProjectOnPage } from "../site-context/subject-projects.ts";
import { inlinePagesOf } from "../inline-form.ts";
import { findRequest } from "../request-store.ts";
import { requireRun } from "../store.ts";
import { findTaskProject } from "../task-store.ts";

/** A project that an agent may know, with its run's changes. */
export interface VisibleProject extends StagedProject {
  status: string;
  audience: string;
  /** Everyone can see it on the site. */
  isPublic: boolean;
}

/**
 * Columns of `tasks` and `qa` about a fix, read here to find the owner's part of its instruction.
 */
type FixTables = {
  task: { id: number; kind: string; run_id: string | null };
  finding: { task_id: number | null; instruction: string | null };
};

/**
 * The owner's note to the finding that a run fixes; null for any other run. The rest of such an
 * instruction is page content: an address in it names no draft.
 */
async function findFixInstructions(db: Db, runId: string): Promise<string | null> {
  const rows = await db
    .withTables<FixTables>()
    .selectFrom("task")
    .leftJoin("finding", "finding.task_id", "task.id")
    .select("finding.instruction")
    .where("task.run_id", "=", runId)
    .where("task.kind", "=", "qa-fix")
    .execute();
  if (rows.length === 0) return null;
  return [...new Set(rows.map(({ instruction }) => instruction ?? ""))].join("\n");
}

/** The owner's messages in a run and its predecessors, without the data attached to them. */
export async function readOwnerMessages(db: Db, runId: string): Promise<string> {
  const instructions = await listInstructions(db, await requireRun(db, runId));
  const words = await Promise.all(
    instructions.map(async ({ startedRun, text }) => {
      const added = startedRun === null ? null : await findFixInstructions(db, startedRun);
      return added ?? textBeforeData(text);
    }),
  );
  return words.join("\n");
}

function toVisible({ change, draft }: { change: RecordChange; draft: StagedProject["fields"] }) {
  const { record } = change;
  const { status = "draft" } = draft;
  const facts = { status, audience: "everyone", isPublic: status === "published" };
  return { projectId: null, record, fields: draft, ...facts };
}

/**
 * The projects that an agent may know in a run: public ones in the owner's order, the one whose
 * page the run is about or an edit was made on, its task's, those that the owner names, and those
 * that the run has changed or creates. No other drafts or restricted projects.
 */
export async function listVisibleProjects(db: Db, runId: string): Promise<VisibleProject[]> {
  const [run, words, changes, { onlyProjectId }] = await Promise.all([
    requireRun(db, runId),
    readOwnerMessages(db, runId),
    listChanges(db, runId),
    findTaskProject(db, runId),
  ]);
  const shown = (await listPublished(db)).filter(({ audience }) => audience === "everyone");
  const { form } = await findRequest(db, runId);
  const pages = [run.page_url, ...inlinePagesOf(form)];
  const subjects = await Promise.all(pages.map((page) => findProjectOnPage(db, page)));
  const named = await findNamedProjects(db, words);
  const projectIds = [onlyProjectId, ...changes.map(({ projectId }) => projectId)];
  const ids = new Set(projectIds.filter((id) => id !== null));
  const others = await Promise.all([...ids].map((id) => findProject(db, { id })));
  const all = [...shown, ...subjects, ...named, ...others].filter((project) => project !== null);
  const byId = new Map(all.map((project) => [project.id, project]));
  const stored = Array.from(byId.values(), (project): VisibleProject => {
    const { id, status, audience } = project;
    const isPublic = status === "published" && audience === "everyone";
    const fields = runFieldsOf(withChanges(project, changes));
    return { projectId: id, record: recordOf(id), fields, status, audience, isPublic };
  });
  return [...stored, ...newDrafts(changes).map(toVisible)];
}
