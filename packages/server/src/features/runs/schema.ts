import { z } from "zod";
import { code, line, paragraphs } from "../../kit/fields.ts";
import {
  type PrivateFinding,
  privateFingerprint,
  type PrivateRefusal,
} from "../release/private/schema.ts";
import type { RecordConflict } from "../projects/run-changes/publish-changes.ts";

/** The states of a run; see `run-status.ts` for the transitions. */
export const runStatus = z.enum([
  "queued",
  "running",
  "building",
  "preview_ready",
  "publishing",
  "published",
  "discarded",
  "failed",
  "cancelled",
  "interrupted",
]);
export type RunStatus = z.infer<typeof runStatus>;

const runKind = z.enum(["edit", "restore"]);

/** `build` changes the site; `ask` only reads and answers. */
const runMode = z.enum(["build", "ask"]);
export type RunMode = z.infer<typeof runMode>;

export const fileChange = z.object({
  path: z.string(),
  added: z.number().int(),
  removed: z.number().int(),
});
export type FileChange = z.infer<typeof fileChange>;

export const fileDiff = fileChange.extend({
  status: z.enum(["added", "modified", "deleted", "renamed"]),
  /** The previous path of a renamed file. */
  oldPath: z.string().optional(),
  binary: z.boolean().optional(),
  patch: z.string(),
});
export type FileDiff = z.infer<typeof fileDiff>;

/** A path of the site's source, such as `app/src/pages/about.astro`. */
const sourcePath = z
  .string()
  .max(300)
  .regex(
    /^(?:app|brand|database)\/[^\\\p{Cc}\p{Cs}\p{Bidi_C}]+$/u,
    "must be a path of the site's source",
  );

/** A part of a page that the owner selected, with its location in the source. */
const pickedElement = z.strictObject({
  file: sourcePath,
  line: z.number().int().min(1).max(1_000_000),
  column: z.number().int().min(1).max(1_000_000),
  /** Its HTML name, such as `h1`. */
  tag: code(40).regex(/^[a-z][a-z0-9-]{0,39}$/),
  /** Its text, truncated. */
  text: paragraphs(300),
  /** The page that contains it, root-relative. */
  page: line(2000),
});
export type PickedElement = z.infer<typeof pickedElement>;

/** An image attached to a message: a stored one that the page may use, or one only for viewing. */
export const attachment = z.discriminatedUnion("use", [
  z.strictObject({ use: z.literal("page"), mediaId: z.number().int().min(1).max(2_147_483_647) }),
  z.strictObject({ use: z.literal("reference"), referenceId: code(64) }),
]);
export type Attachment = z.infer<typeof attachment>;

const elements = z.array(pickedElement).max(20);
const attachments = z.array(attachment).max(10);

/** The owner's messages while a run was working. */
export const runMessage = z.object({
  id: z.number().int(),
  text: z.string(),
  elements,
  attachments,
  status: z.enum(["waiting", "delivered", "withdrawn"]),
  createdAt: z.string(),
});
export type RunMessage = z.infer<typeof runMessage>;

const checkFinding = z.object({
  check: z.string(),
  category: z.string(),
  severity: z.enum(["error", "warning", "notice"]),
  /** The page, root-relative. */
  page: z.string(),
  target: z.string().nullable(),
  message: z.string(),
});
export type CheckFinding = z.infer<typeof checkFinding>;

/** How a build would change the site's quality, compared with the live site. */
export const buildReport = z.object({
  /** The number of pages that differ from the live ones and were checked. */
  pages: z.number().int(),
  /** Findings that the live site doesn't have, most severe first; at most 100. */
  findings: z.array(checkFinding),
  /** Their total number, including unlisted ones. */
  added: z.object({ error: z.number().int(), warning: z.number().int(), notice: z.number().int() }),
  /** The number of the live site's findings that are gone. */
  fixed: z.number().int(),
  /** Broken internal links and files on the checked pages, including old ones. */
  brokenLinks: z.number().int(),
  /** Bytes loaded by a first visit of the changed pages, before and after. */
  bytes: z.object({ before: z.number().int(), after: z.number().int() }),
  /** Blank pages: a build with any is never ready. */
  blank: z.array(z.string()),
});
export type BuildReport = z.infer<typeof buildReport>;

export const run = z.object({
  id: z.string(),
  kind: runKind,
  mode: runMode,
  instruction: z.string(),
  pageUrl: z.string().nullable(),
  status: runStatus,
  model: z.string(),
  actor: z.string(),
  steps: z.number().int(),
  inputTokens: z.number().int(),
  outputTokens: z.number().int(),
  cost: z.number().nullable(),
  /** The currency of the cost, such as USD; null if unknown. */
  currency: z.string().nullable(),
  baseCommit: z.string().nullable(),
  commit: z.string().nullable(),
  filesChanged: z.array(fileChange),
  message: z.string(),
  summary: z.string(),
  error: z.string().nullable(),
  restoredRunId: z.string().nullable(),
  /** For a restore: whether it undoes one change or restores the site to the state after it. */
  restoreMode: z.enum(["undo", "version"]).nullable(),
  elements,
  attachments,
  /** The run that this one continues or repeats. */
  origin: z.object({ runId: z.string(), kind: z.enum(["continue", "reapply"]) }).nullable(),
  /** The queued task that it executes; attempts are counted from 1. */
  task: z.object({ id: z.number().int(), attempt: z.number().int() }).nullable(),
  /** Whether a retry can continue it: its work and its conversation still exist. */
  canContinue: z.boolean(),
  /** Whether it reads messages while it works; one that applies a form or restores doesn't. */
  readsMessages: z.boolean(),
  /** Messages sent during the run, in order, without withdrawn ones. */
  messages: z.array(runMessage),
  checks: buildReport.nullable(),
  /**
   * Whether the public changelog mentions it; for a preview, unless its publish says otherwise.
   * Null if there is nothing to mention.
   */
  isInChangelog: z.boolean().nullable(),
  previewUrl: z.string().nullable(),
  createdAt: z.string(),
  startedAt: z.string().nullable(),
  finishedAt: z.string().nullable(),
});
export type Run = z.infer<typeof run>;

/**
 * A page of this site: a root-relative address (`//host` would leave it), at most 2,000 characters.
 */
const pageUrl = z
  .string()
  .max(2000)
  .regex(
    /^\/(?![/\\])[^\s\\\p{Cc}\p{Cs}\p{Bidi_C}]*$/u,
    "must be a root-relative address such as /about/",
  );

export const startBody = z.strictObject({
  instruction: paragraphs(8000, { min: 1 }),
  pageUrl: pageUrl.nullish(),
  mode: runMode.default("build"),
  elements: elements.default([]),
  attachments: attachments.default([]),
  /** A ready or interrupted run that this instruction continues. */
  continues: code(64).nullish(),
});

export const messageBody = z.strictObject({
  runId: code(64),
  text: paragraphs(8000).min(1),
  elements: elements.default([]),
  attachments: attachments.default([]),
});
export const withdrawBody = z.strictObject({
  messageId: z.number().int().min(1).max(2_147_483_647),
});
export const withdrawn = z.object({ id: z.number().int(), withdrawn: z.literal(true) });

/** `fresh`: starts from the beginning although there is work to continue. */
export const retryBody = z.strictObject({
  runId: code(64),
  fresh: z.boolean().default(false),
});

/** `undo` undoes this one change; `version` restores the site to the state after it. */
export const restoreBody = z.strictObject({
  runId: code(64),
  mode: z.enum(["undo", "version"]).default("undo"),
});

/** A run's change to one field of a project, as lines of text. */
export const runRecordChange = z.object({
  /** The ID of the record, which identifies the change together with its field. */
  record: z.string(),
  field: z.string(),
  /** Null for a draft that doesn't exist yet. */
  projectId: z.number().int().nullable(),
  slug: z.string(),
  /** The project's name. */
  name: z.string(),
  /** The value that the run found; null if there was none. */
  before: z.string().nullable(),
  /** The run's value; null if it deletes the project. */
  after: z.string().nullable(),
  /** The stored value; null if there is no such project. */
  present: z.string().nullable(),
  /** The record's field has been changed since: a publish waits for a decision. */
  isConflict: z.boolean(),
});
export type RunRecordChange = z.infer<typeof runRecordChange>;
export const runRecordChanges = z.object({ changes: z.array(runRecordChange) });

/** `run` overwrites the stored value, `record` drops the run's change. */
export const resolveRecordBody = z.strictObject({
  runId: code(64),
  record: code(200),
  field: code(40),
  keep: z.enum(["run", "record"]),
});
export type ResolveRecord = z.infer<typeof resolveRecordBody>;

export const runIdBody = z.strictObject({ runId: code(64) });
export const runIdParams = z.strictObject({ id: code(64) });

/** `confirmPrivate`: the fingerprint from an error with code `private_text`, to publish anyway. */
export const publishBody = z.strictObject({
  runId: code(64),
  confirmPrivate: privateFingerprint.nullish(),
  /** Whether the public changelog mentions it; by default as in the preview. */
  mentionInChangelog: z.boolean().nullish(),
});
export const runStarted = z.object({ runId: z.string() });
export const runDiff = z.object({ files: z.array(fileDiff) });

/** The data of each type of run event. */
export interface RunEventData {
  "run.started": { instruction: string; model: string; actor: string };
  "run.status": { status: RunStatus };
  "model.text": { text: string };
  "tool.call": { callId: string; tool: string; title: string; input: unknown };
  "tool.result": {
    callId: string;
    tool: string;
    ok: boolean;
    title: string;
    durationMs: number;
    error?: string;
  };
  "file.changed": { path: string; added: number; removed: number; patch: string };
  "build.started": { attempt: number };
  "build.log": { line: string };
  "build.failed": { attempt: number; errors: string[] };
  "build.passed": { attempt: number; pages: number; bytes: number; durationMs: number };
  "preview.ready": { previewUrl: string; filesChanged: FileChange[]; summary: string };
  usage: {
    inputTokens: number;
    outputTokens: number;
    cost: number | null;
    currency?: string | null;
    steps: number;
  };
  "run.finished": { status: RunStatus; commit?: string; message?: string; error?: string };
  "message.queued": { id: number; text: string };
  "message.delivered": { id: number; text: string };
  "message.withdrawn": { id: number };
  "checks.started": Record<string, never>;
  "checks.done": BuildReport;
  /** Private text that goes live because the owner has confirmed it. */
  "private.confirmed": { findings: readonly PrivateFinding[]; total: number; by: string };
  /**
   * With `conflict`, the files that others have changed in the same places; with `records`, the
   * fields of records; with `private`, what a publish would show, to be confirmed by its
   * fingerprint.
   */
  error: {
    message: string;
    conflict?: string[];
    records?: readonly RecordConflict[];
    private?: PrivateRefusal;
  };
}

type RunEventType = keyof RunEventData;

/** An event before it is stored. */
export type RunEvent = { [T in RunEventType]: { type: T; data: RunEventData[T] } }[RunEventType];

/** An event as stored and streamed; `seq` counts from 1 without gaps within its run. */
export type StoredRunEvent = RunEvent & { seq: number; at: string };

/** The median and the 90th percentile of what runs here have used. */
const range = z.object({ typical: z.number(), high: z.number() });
const spending = z.object({ tokens: z.number(), cost: z.number().nullable() });
const ceiling = z.object({ tokens: z.number().nullable(), cost: z.number().nullable() });

/** What a run will probably use, and what may still be spent. */
export const estimate = z.object({
  model: z.string(),
  /** The number of runs it is based on; with fewer than three, there is no estimate. */
  runs: z.number().int(),
  /** The currency of the selected model, and of all costs here; null if unknown. */
  currency: z.string().nullable(),
  /** Counted tokens: those read from a provider's cache count a tenth. */
  tokens: range.nullable(),
  cost: range.nullable(),
  seconds: range.nullable(),
  run: ceiling,
  day: z.object({ spent: spending, ceiling }),
  month: z.object({ spent: spending, ceiling }),
});
export type Estimate = z.infer<typeof estimate>;

export const estimateQuery = z.strictObject({ mode: runMode.default("build") });

/** GET /devconsole/blame: who last changed a line; with `runId`, in that run's preview. */
export const blameQuery = z.strictObject({
  file: sourcePath,
  line: z.coerce.number().int().min(1).max(1_000_000),
  runId: code(64).optional(),
});
export const blame = z.object({
  file: z.string(),
  line: z.number().int(),
  /** Null for a line of a preview that isn't in any commit yet. */
  commit: z.string().nullable(),
  actor: z.string(),
  at: z.string(),
  /** The commit's subject, or the run's instruction if there is no commit yet. */
  message: z.string(),
  /** The run that changed it; null for manual edits and the initial site. */
  run: run
    .pick({
      id: true,
      instruction: true,
      model: true,
      inputTokens: true,
      outputTokens: true,
      cost: true,
      currency: true,
      status: true,
    })
    .nullable(),
});
export type Blame = z.infer<typeof blame>;
