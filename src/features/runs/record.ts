import { previewAddress } from "../release/preview-address.ts";
import type { RunChange } from "./describe.ts";
import { fileChange, type FileDiff, fileDiff, type Run } from "./schema.ts";
import type { RunPatch, RunRow } from "./store.ts";

const longestPatch = 256 * 1024;
const mostPatches = 4 * 1024 * 1024;

/**
 * A run's changes as its record keeps them. A patch over 256 KiB, and what comes after 4 MiB in all,
 * is cut: the record is for people to read.
 */
export function changesPatch(files: readonly FileDiff[]): RunPatch {
  let room = mostPatches;
  const kept = fileDiff.array().parse(files);
  for (const file of kept) {
    const length = Math.min(longestPatch, room);
    room -= Math.min(file.patch.length, length);
    if (file.patch.length > length) file.patch = `${file.patch.slice(0, length)}\n… cut`;
  }
  return {
    diff: JSON.stringify(kept),
    files_changed: JSON.stringify(fileChange.array().parse(kept)),
  };
}

/** The changelog entry that the run's artifact was built with. */
export function changeIn(row: RunRow): RunChange | null {
  return row.changelog === null ? null : (JSON.parse(row.changelog) as RunChange);
}

/** A run as answers carry it. */
export function runOf(row: RunRow): Run {
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
    baseCommit: row.base_commit,
    commit: row.commit_sha,
    filesChanged: fileChange.array().parse(JSON.parse(row.files_changed)),
    message: row.message,
    summary: row.summary,
    error: row.error,
    restores: row.restores,
    restoreMode: row.restores === null ? null : "undo",
    elements: [],
    attachments: [],
    origin: null,
    canContinue: false,
    messages: [],
    checks: null,
    previewUrl: previewable && row.artifact_sha !== null ? previewAddress(row.id) : null,
    createdAt: row.created_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
  };
}
