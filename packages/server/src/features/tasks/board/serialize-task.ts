import { parseJson } from "../../../kit/json.ts";
import { cleanText } from "../../../kit/text.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { type RunUse, usesOfRuns } from "../../agent/ledger/store.ts";
import { readUnattended, type Unattended } from "../../settings/queue-setting.ts";
import { findProject } from "../../projects/store.ts";
import { previewAddress } from "../../release/preview-address.ts";
import { activeStatuses } from "../../runs/run-status.ts";
import type { FileChange } from "../../runs/schema.ts";
import {
  listLatestSteps,
  listNewestRuns,
  listTaskRuns,
  type StepRow,
  type TaskRunRow,
} from "./task-run-store.ts";
import { reviewReason, type Task, type TaskDetail, type TaskRun } from "../schema.ts";
import { describeScope } from "../scope/describe-scope.ts";
import { readScope } from "../scope/task-scope.ts";
import { listEvents, findScopes, type TaskRow } from "../store.ts";

const maxStepLength = 120;

/** What a task's card needs besides its row. */
export interface TaskDetails {
  /** The newest run of each task, by task ID. */
  runs: ReadonlyMap<number, TaskRunRow>;
  uses: ReadonlyMap<string, RunUse>;
  steps: ReadonlyMap<string, StepRow>;
  /** JSON, by task ID. */
  scopes: ReadonlyMap<number, string>;
  /** The owner's setting for what goes live without review. */
  unattended: Unattended;
}

const stepLabels: Readonly<Record<string, string>> = {
  "build.started": "Building the site",
  "build.failed": "Fixing build errors",
  "checks.started": "Checking the pages",
  "checks.done": "Preparing the preview",
};

function describeStep(step: StepRow | undefined): string {
  if (!step) return "Thinking";
  const plain = stepLabels[step.type];
  if (plain !== undefined) return plain;
  const { title } = parseJson(step.data) as { title?: unknown };
  return cleanText(typeof title === "string" ? title : "").slice(0, maxStepLength) || "Working";
}

/** A short text about what a run is doing now; null if it isn't running. */
function stepOf({ status }: TaskRunRow, step: StepRow | undefined): string | null {
  if (status === "publishing") return "Publishing";
  if (status === "queued") return "Waiting for a free slot";
  return activeStatuses.includes(status) ? describeStep(step) : null;
}

function runOf(row: TaskRunRow, { uses, steps }: Pick<TaskDetails, "uses" | "steps">): TaskRun {
  const previewable = row.status === "preview_ready" || row.status === "publishing";
  return {
    id: row.id,
    attempt: row.attempt,
    status: row.status,
    step: stepOf(row, steps.get(row.id)),
    filesChanged: parseJson(row.files_changed) as FileChange[],
    summary: row.summary,
    error: row.error,
    model: row.model,
    inputTokens: row.input_tokens,
    outputTokens: row.output_tokens,
    cost: row.cost,
    currency: uses.get(row.id)?.currency ?? null,
    previewUrl: previewable && row.artifact_sha !== null ? previewAddress(row.id) : null,
    createdAt: row.created_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
  };
}

async function aboutRuns(
  db: Db,
  runs: readonly TaskRunRow[],
): Promise<Pick<TaskDetails, "uses" | "steps">> {
  const active = runs.filter(({ status }) => activeStatuses.includes(status));
  const [uses, steps] = await Promise.all([
    usesOfRuns(
      db,
      runs.map(({ id }) => id),
    ),
    listLatestSteps(
      db,
      active.map(({ id }) => id),
    ),
  ]);
  return { uses, steps };
}

/**
 * Reads everything for the cards of these tasks besides their rows, with six queries for any
 * number.
 */
export async function readTaskDetails(db: Db, rows: readonly TaskRow[]): Promise<TaskDetails> {
  const ids = rows.map(({ id }) => id);
  const [runs, scopes, unattended] = await Promise.all([
    listNewestRuns(db, rows),
    findScopes(db, ids),
    readUnattended(db),
  ]);
  return { runs, scopes, unattended, ...(await aboutRuns(db, [...runs.values()])) };
}

function waitingOf({ waiting: reason, not_before: until }: TaskRow): Task["waiting"] {
  return reason === null || until === null ? null : { reason, until };
}

/** A task for a response. */
export function serializeTask(row: TaskRow, gathered: TaskDetails, maxAttempts: number): Task {
  const run = gathered.runs.get(row.id);
  const scope = readScope(row, gathered.scopes.get(row.id));
  return {
    id: row.id,
    kind: row.kind,
    title: row.title,
    instruction: row.instruction,
    pageUrl: row.page_url,
    projectId: row.project_id,
    projectStatus: row.project_status,
    findingId: row.finding_id,
    attachments: parseJson(row.attachments) as number[],
    priority: row.priority,
    status: row.status,
    attempts: row.attempts,
    maxAttempts: maxAttempts,
    waiting: waitingOf(row),
    claimedBy: row.claimed_by,
    leaseExpiresAt: row.lease_expires_at,
    run: run ? runOf(run, gathered) : null,
    commit: row.commit_sha,
    error: row.error,
    review: reviewReason.array().parse(parseJson(row.review)),
    scope,
    scopeSummary: describeScope(scope, gathered.unattended, row.project_status),
    approvedAt: row.approved_at,
    actor: row.actor,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
  };
}

/** Tasks for a response; `maxAttempts` is the maximum attempts of each. */
export async function serializeTasks(
  db: Db,
  rows: readonly TaskRow[],
  maxAttempts: number,
): Promise<Task[]> {
  const gathered = await readTaskDetails(db, rows);
  return rows.map((row) => serializeTask(row, gathered, maxAttempts));
}

/** A task with its project, all its runs, and its history. */
export async function serializeTaskDetail(
  db: Db,
  row: TaskRow,
  maxAttempts: number,
): Promise<TaskDetail> {
  const [[task], project, runs, events] = await Promise.all([
    serializeTasks(db, [row], maxAttempts),
    row.project_id === null ? null : findProject(db, { id: row.project_id }),
    listTaskRuns(db, row.id),
    listEvents(db, row.id),
  ]);
  if (!task) throw new Error("A task without its record.");
  const about = await aboutRuns(db, runs);
  return {
    ...task,
    project: project && { id: project.id, slug: project.slug, name: project.name },
    runs: runs.map((run) => runOf(run, about)),
    events,
  };
}
