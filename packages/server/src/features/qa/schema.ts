import { z } from "zod";
import { pageSchema, pageQuery } from "../../kit/envelope.ts";
import { code, rowId as id, rowIdText as idText, boundedText } from "../../kit/fields.ts";
import { recordFields } from "../agent/records.ts";
import { task, taskStatus } from "../tasks/schema.ts";

export const severity = z.enum(["error", "warning", "notice"]);
export const findingStatus = z.enum(["open", "queued", "fixed", "ignored"]);
export type FindingStatus = z.infer<typeof findingStatus>;
export const runStatus = z.enum(["running", "finished", "failed", "aborted"]);
export type QaRunStatus = z.infer<typeof runStatus>;
export const runTrigger = z.enum(["manual", "heartbeat", "task"]);
export type QaRunTrigger = z.infer<typeof runTrigger>;
export const scope = z.enum(["page", "site", "external", "probe", "browser"]);
export const confidence = z.enum(["confirmed", "likely", "review"]);

/** Maximum characters of the owner's note on a finding. */
export const qaBounds = { instruction: 2000, reason: 300, selected: 100 } as const;

/** A search term, trimmed and without control characters. */
function term(max: number) {
  return boundedText(max, { multiline: false });
}

export const counts = z.object({
  error: z.number().int(),
  warning: z.number().int(),
  notice: z.number().int(),
});
export type Counts = z.infer<typeof counts>;

/** The progress of a QA run. */
export const progress = z.object({
  step: z.enum(["connecting", "crawling", "checking", "external", "browser", "writing"]),
  done: z.number().int(),
  total: z.number().int().nullable(),
  /** The current item: a path or an address. */
  at: z.string().nullable(),
  /** Findings so far. */
  findings: z.number().int(),
});

/** A QA run. */
export const runSchema = z.object({
  id: z.number().int(),
  trigger: runTrigger,
  status: runStatus,
  requestedBy: z.string(),
  startedAt: z.string(),
  finishedAt: z.string().nullable(),
  durationMs: z.number().int().nullable(),
  /** Null once it has ended. */
  progress: progress.nullable(),
  pages: z.number().int(),
  links: z.number().int(),
  /** Pages checked again in a browser. */
  browserPages: z.number().int(),
  /** The site hasn't changed since the last run. */
  isUnchanged: z.boolean(),
  /** Of findings open after the run. */
  counts,
  newFindings: z.number().int(),
  fixedFindings: z.number().int(),
  reopenedFindings: z.number().int(),
  /** What couldn't be checked, and why. */
  skippedChecks: z.array(z.object({ what: z.string(), why: z.string() })),
  summary: z.string().nullable(),
  summaryBy: z.enum(["model", "plain"]).nullable(),
  error: z.string().nullable(),
});
export type QaRun = z.infer<typeof runSchema>;

export const occurrence = z.object({
  page: z.string(),
  selector: z.string(),
  line: z.number().int().nullable(),
  text: z.string(),
});

export const findingSource = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("file"),
    file: z.string(),
    /** Null if the places are at several lines of it. */
    line: z.number().int().nullable(),
  }),
  z.object({
    kind: z.literal("record"),
    projectId: z.number().int(),
    slug: z.string(),
    name: z.string(),
    field: z.enum(recordFields),
    /** The position of an image in the gallery, starting at 1. */
    item: z.number().int().nullable(),
  }),
]);

export const finding = z.object({
  id: z.number().int(),
  fingerprint: z.string(),
  check: z.string(),
  /** The name of the check in plain words. */
  title: z.string(),
  category: z.string(),
  scope,
  severity,
  critical: z.boolean(),
  confidence,
  engine: z.string(),
  pageUrl: z.string(),
  target: z.string().nullable(),
  message: z.string(),
  evidence: z.record(z.string(), z.unknown()),
  /** The first 50 occurrences. */
  occurrences: z.array(occurrence),
  occurrenceCount: z.number().int(),
  pageCount: z.number().int(),
  isSafe: z.boolean(),
  status: findingStatus,
  instruction: z.string().nullable(),
  /** Its task; `error` says why that had no result. */
  task: z
    .object({ id: z.number().int(), status: taskStatus, error: z.string().nullable() })
    .nullable(),
  /** Whether it has been assessed, which happens after each QA run. */
  isAssessed: z.boolean(),
  /** Where its target is edited; null if unclear or not assessed yet. */
  source: findingSource.nullable(),
  /** How a task would fix it; `refusal` says why none can now. */
  fix: z.object({
    kind: z.enum(["exact", "model"]),
    refusal: z.enum(["no_model", "model_cannot_build", "model_cannot_see"]).nullable(),
  }),
  /** Whether it would be fixed unattended. */
  isAutoFixable: z.boolean(),
  /** What happened to its fix if that didn't close it; null otherwise. */
  note: z.string().nullable(),
  /** Why and until when it is ignored; null if it isn't. */
  ignored: z
    .object({
      id: z.number().int(),
      kind: z.enum(["finding", "rule", "baseline"]),
      reason: z.string(),
      by: z.string(),
      at: z.string(),
      until: z.string().nullable(),
    })
    .nullable(),
  firstSeenAt: z.string(),
  lastSeenAt: z.string(),
  fixedAt: z.string().nullable(),
  seenCount: z.number().int(),
  firstRunId: z.number().int(),
  lastRunId: z.number().int(),
});
export type FindingRecord = z.infer<typeof finding>;

export const runList = pageSchema(runSchema);
export const findingList = pageSchema(finding);
export const runQuery = z.strictObject({
  ...pageQuery,
  status: runStatus.optional(),
  trigger: runTrigger.optional(),
});
/** One or several states, separated by commas. */
export const statuses = code(100)
  .transform((text) => text.split(","))
  .pipe(z.array(findingStatus).min(1));
export const findingQuery = z.strictObject({
  ...pageQuery,
  /** Only findings involved in this run. */
  runId: idText.optional(),
  /** Several are separated by commas. */
  status: statuses.optional(),
  severity: severity.optional(),
  category: term(60).optional(),
  check: term(120).optional(),
  scope: scope.optional(),
  pageUrl: term(2000).optional(),
  /** Words in the message, the page, or the target. */
  q: term(200).optional(),
  sort: z.enum(["weight", "newest", "oldest", "lastSeen"]).default("weight"),
});

/** The findings of one check as one line. */
export const findingGroup = z.object({
  check: z.string(),
  title: z.string(),
  category: z.string(),
  severity,
  critical: z.boolean(),
  findings: z.number().int(),
  pages: z.number().int(),
  isSafe: z.boolean(),
  /** The message of the first one. */
  example: z.string(),
});

/** The summary above the list. */
export const overview = z.object({
  currentRun: runSchema.nullable(),
  /** The last completed run. */
  lastRun: runSchema.nullable(),
  /** Open findings. */
  open: counts,
  queued: z.number().int(),
  ignored: z.number().int(),
  /** Found fixed by the last run. */
  fixedFindings: z.number().int(),
  groups: z.array(findingGroup),
  categories: z.array(z.object({ category: z.string(), open: z.number().int() })),
  /** Of stored completed runs, oldest first. */
  trend: z.array(z.object({ id: z.number().int(), at: z.string(), counts })),
  /** When the next scheduled run is due; null if scheduling is off or no runner is live. */
  nextRunAt: z.string().nullable(),
  intervalMinutes: z.number().int(),
  autofix: z.boolean(),
});
export type Overview = z.infer<typeof overview>;

export const fixBody = z.strictObject({
  findingId: id,
  instruction: boundedText(qaBounds.instruction).optional(),
});
export const fixResponse = task.extend({
  /** Whether the note will be followed; null without one. */
  isNoteFollowed: z.boolean().nullable(),
});
export type FixAnswer = z.infer<typeof fixResponse>;
export const ignoreBody = z
  .strictObject({
    findingId: id.optional(),
    /** A rule: every finding of this check, on one page or on all. */
    check: term(120).min(1, "can't be empty").optional(),
    pageUrl: term(2000).min(1, "can't be empty").optional(),
    reason: boundedText(qaBounds.reason, { least: 1 }),
    /** Until when; by default forever. */
    until: z.iso.datetime().nullable().optional(),
  })
  .refine(({ findingId, check }) => (findingId === undefined) !== (check === undefined), {
    message: "name a finding or a check, not both",
    path: ["findingId"],
  })
  .refine(({ check, pageUrl }) => pageUrl === undefined || check !== undefined, {
    message: "can be used only with a check",
    path: ["pageUrl"],
  });
export const reopenBody = z.strictObject({ findingId: id });
export const ignoreRule = z.object({
  id: z.number().int(),
  kind: z.enum(["finding", "rule", "baseline"]),
  check: z.string().nullable(),
  pageUrl: z.string().nullable(),
  reason: z.string(),
  by: z.string(),
  at: z.string(),
  until: z.string().nullable(),
  /** The number of findings it hides. */
  findings: z.number().int(),
});
export type IgnoreRuleRecord = z.infer<typeof ignoreRule>;
export const ignoreQuery = z.strictObject(pageQuery);
export const ignoreList = pageSchema(ignoreRule);
export const unignoreBody = z.strictObject({ id });
export const ignoreResponse = z.object({ ignored: z.number().int() });
export const reopenResponse = z.object({ reopened: z.number().int() });
export const findingIdQuery = z.strictObject({ id: idText });
export const noBody = z.strictObject({});
/** POST /devconsole/qa/run */
export const runStarted = z.object({ runId: z.number().int(), startedAt: z.string() });
export const stopBody = z.strictObject({ runId: id });
/** GET /devconsole/qa/stream/:runId */
export const runParams = z.strictObject({ runId: idText });
/** The event `qa.finished`; `qa.progress` has `progress`. */
export const finishedRun = runSchema
  .pick({
    status: true,
    counts: true,
    newFindings: true,
    fixedFindings: true,
    reopenedFindings: true,
    error: true,
  })
  .extend({ runId: z.number().int() });
export type QaRunFinished = z.infer<typeof finishedRun>;
/** POST /devconsole/qa/stop: whether it is stopping. */
export const runStopping = z.object({ runId: z.number().int(), stopping: z.literal(true) });
