import type { Db } from "../../platform/db/connect.ts";
import { usesOfRuns } from "../agent/ledger/store.ts";
import { previewAddress } from "../release/preview-address.ts";
import { listCheckReports } from "./check-store.ts";
import { listRunsWithConversation } from "./conversation-store.ts";
import { listMessages } from "./message-store.ts";
import { emptyRequest, listRequests, readsMessages, type RunRequest } from "./request-store.ts";
import type { RunChange } from "./run-change.ts";
import {
  type BuildReport,
  fileChange,
  type FileDiff,
  fileDiff,
  type Run,
  type RunMessage,
} from "./schema.ts";
import type { RunPatch, RunRow } from "./store.ts";
import { listRunTasks, type RunTask } from "./task-store.ts";

const maxPatchCharacters = 256 * 1024;
const maxDiffCharacters = 4 * 1024 * 1024;

/**
 * A run's changes as stored in its record. A patch over 256 KiB, and everything after 4 MiB in
 * total, is truncated, because the record is for people to read.
 */
export function diffColumns(files: readonly FileDiff[]): RunPatch {
  let room = maxDiffCharacters;
  const retained = fileDiff.array().parse(files);
  for (const file of retained) {
    const length = Math.min(maxPatchCharacters, room);
    room -= Math.min(file.patch.length, length);
    if (file.patch.length > length) file.patch = `${file.patch.slice(0, length)}\n… cut`;
  }
  return {
    diff: JSON.stringify(retained),
    files_changed: JSON.stringify(fileChange.array().parse(retained)),
  };
}

/** The changelog entry that the run's artifact was built with. */
export function readRunChange(row: RunRow): RunChange | null {
  return row.changelog === null ? null : (JSON.parse(row.changelog) as RunChange);
}

/** What a run's response contains besides its row. */
interface RunDetails {
  request: RunRequest;
  messages: RunMessage[];
  currency: string | null;
  checks: BuildReport | null;
  canContinue: boolean;
  task: RunTask | null;
}

function serializeRun(row: RunRow, details: RunDetails): Run {
  const { request, messages, currency, checks, canContinue, task } = details;
  const change = readRunChange(row);
  const previewable = row.status === "preview_ready" || row.status === "publishing";
  return {
    id: row.id,
    kind: row.kind,
    mode: row.mode,
    instruction: row.instruction,
    pageUrl: row.page_url,
    status: row.status,
    model: row.model,
    actor: row.actor,
    steps: row.steps,
    inputTokens: row.input_tokens,
    outputTokens: row.output_tokens,
    cost: row.cost,
    currency,
    baseCommit: row.base_commit,
    commit: row.commit_sha,
    filesChanged: fileChange.array().parse(JSON.parse(row.files_changed)),
    message: row.message,
    summary: row.summary,
    error: row.error,
    restoredRunId: row.restored_run_id,
    restoreMode: row.restored_run_id === null ? null : (request.restore ?? "undo"),
    elements: request.elements,
    attachments: request.attachments,
    origin: request.origin,
    task,
    canContinue,
    readsMessages: readsMessages(row.kind, request),
    messages,
    checks,
    isInChangelog: change && change.isHidden !== true,
    previewUrl: previewable && row.artifact_sha !== null ? previewAddress(row.id) : null,
    createdAt: row.created_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
  };
}

/**
 * Runs for a response, with six queries for any number. `canContinue` is checked for those with a
 * conversation.
 */
export async function serializeRuns(
  db: Db,
  rows: readonly RunRow[],
  canContinue: (row: RunRow) => Promise<boolean> = async () => false,
): Promise<Run[]> {
  const ids = rows.map(({ id }) => id);
  const [requests, messages, uses, reports, talked, tasks] = await Promise.all([
    listRequests(db, ids),
    listMessages(db, ids),
    usesOfRuns(db, ids),
    listCheckReports(db, ids),
    listRunsWithConversation(db, ids),
    listRunTasks(db, ids),
  ]);
  return Promise.all(
    rows.map(async (row) =>
      serializeRun(row, {
        request: requests.get(row.id) ?? emptyRequest,
        messages: messages.get(row.id) ?? [],
        currency: uses.get(row.id)?.currency ?? null,
        checks: reports.get(row.id) ?? null,
        canContinue: talked.has(row.id) && (await canContinue(row)),
        task: tasks.get(row.id) ?? null,
      }),
    ),
  );
}
