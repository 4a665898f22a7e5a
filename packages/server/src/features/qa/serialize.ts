import { parseJson } from "../../kit/json.ts";
import { titleOf } from "vitrine-qa/src/checks/catalog.ts";
import type { FindingGroupRow } from "./findings/list-store.ts";
import type { IgnoreRule } from "./findings/ignore-store.ts";
import type { FindingDetail } from "./findings/store.ts";
import { fixMethod, type FixModel, isAutoFixable } from "./fix/fix-method.ts";
import type { QaRunRow } from "./runs/store.ts";
import type { Assessment } from "./source/assess.ts";
import type {
  Counts,
  FindingRecord,
  IgnoreRuleRecord,
  Overview,
  QaRun,
  QaRunFinished,
} from "./schema.ts";

/** A QA run for a response. */
export function serializeRun(row: QaRunRow): QaRun {
  const { started_at: startedAt, finished_at: finishedAt } = row;
  return {
    id: row.id,
    trigger: row.trigger_kind,
    status: row.status,
    requestedBy: row.requested_by,
    startedAt,
    finishedAt,
    durationMs: finishedAt === null ? null : Date.parse(finishedAt) - Date.parse(startedAt),
    progress: row.progress === null ? null : (parseJson(row.progress) as QaRun["progress"]),
    pages: row.pages,
    links: row.links,
    browserPages: row.browser_pages,
    isUnchanged: row.is_unchanged === 1,
    counts: parseJson(row.counts) as Counts,
    newFindings: row.new_findings,
    fixedFindings: row.fixed_findings,
    reopenedFindings: row.reopened_findings,
    skippedChecks: parseJson(row.skipped_checks) as QaRun["skippedChecks"],
    summary: row.summary,
    summaryBy: row.summary_by,
    error: row.error,
  };
}

/** The final event of a QA run's stream. */
export function serializeFinishedRun(row: QaRunRow): QaRunFinished {
  const { id: runId, status, counts, error, ...run } = serializeRun(row);
  const { newFindings, fixedFindings, reopenedFindings } = run;
  return { runId, status, counts, newFindings, fixedFindings, reopenedFindings, error };
}

function ignoredOf(row: FindingDetail): FindingRecord["ignored"] {
  const { ignore_id: id, ignore_kind: kind, ignore_reason: reason } = row;
  const { ignore_by: by, ignore_at: at, ignore_until: until } = row;
  if (row.status !== "ignored" || id === null || kind === null) return null;
  return { id, kind, reason: reason ?? "", by: by ?? "", at: at ?? "", until };
}

const unhelpful = {
  published: "was published, but the next QA run found this again.",
  reverted: "couldn't be completed.",
  failed: "has failed.",
  cancelled: "was cancelled.",
} as const;

/** For an open finding with a former task, what happened to it. */
function noteOf({ status, task_id: task, task_status: ended }: FindingDetail): string | null {
  if (status !== "open" || task === null || ended === null || !(ended in unhelpful)) return null;
  return `Task ${task} ${unhelpful[ended as keyof typeof unhelpful]}`;
}

const reasonsToLeave = {
  failed: "Autofix no longer queues it, because two tasks didn’t fix it.",
  cancelled: "Autofix doesn’t queue it, because its task was cancelled.",
} as const;

/** Data about a finding's fix. */
export interface FixContext {
  assessment: Assessment | undefined;
  model: FixModel;
  /** Why autofix leaves it to a person; null if it doesn't. */
  left: keyof typeof reasonsToLeave | null;
}

/** What happened to its task, and whether another one will be created automatically. */
function fullNoteOf(row: FindingDetail, { left }: FixContext): string | null {
  const isLeft = left !== null && row.status === "open" && row.is_safe === 1;
  const notes = [noteOf(row), isLeft ? reasonsToLeave[left] : null];
  const told = notes.filter((note) => note !== null);
  return told.length === 0 ? null : told.join(" ");
}

function taskOf({ task_id: id, task_status: status, task_error: error }: FindingDetail) {
  if (id === null || status === null) return null;
  const hasFailed = status === "reverted" || status === "failed";
  return { id, status, error: hasFailed ? error : null };
}

/** A finding for a response. */
export function serializeFinding(
  row: FindingDetail,
  known: FixContext = { assessment: undefined, model: null, left: null },
): FindingRecord {
  const { assessment, model, left } = known;
  return {
    id: row.id,
    fingerprint: row.fingerprint,
    check: row.check_id,
    title: titleOf(row.check_id),
    category: row.category,
    scope: row.scope,
    severity: row.severity,
    critical: row.critical === 1,
    confidence: row.confidence,
    engine: row.engine,
    pageUrl: row.page_url,
    target: row.target,
    message: row.message,
    evidence: parseJson(row.evidence) as FindingRecord["evidence"],
    occurrences: parseJson(row.occurrences) as FindingRecord["occurrences"],
    occurrenceCount: row.occurrence_count,
    pageCount: row.page_count,
    isSafe: row.is_safe === 1,
    status: row.status,
    instruction: row.instruction,
    task: taskOf(row),
    isAssessed: assessment !== undefined,
    source: assessment?.source ?? null,
    // Findings that haven't been assessed are assessed before they are queued.
    fix: assessment ? fixMethod(row, assessment, model) : { kind: "model", refusal: null },
    isAutoFixable: left === null && isAutoFixable(row, assessment, model),
    note: fullNoteOf(row, known),
    ignored: ignoredOf(row),
    firstSeenAt: row.first_seen_at,
    lastSeenAt: row.last_seen_at,
    fixedAt: row.fixed_at,
    seenCount: row.seen_count,
    firstRunId: row.first_run_id,
    lastRunId: row.last_run_id,
  };
}

/** The findings of a check as one line. */
export function serializeGroup(row: FindingGroupRow): Overview["groups"][number] {
  return { ...row, title: titleOf(row.check) };
}

/** An ignore rule for a response. */
export function serializeIgnore(row: IgnoreRule): IgnoreRuleRecord {
  return {
    id: row.id,
    kind: row.kind,
    check: row.check_id,
    pageUrl: row.page_url,
    reason: row.reason,
    by: row.created_by,
    at: row.created_at,
    until: row.expires_at,
    findings: row.findings,
  };
}
