import { z } from "zod";
import { code, line, paragraphs } from "../../kit/fields.ts";
import {
  type PrivateFinding,
  privateFingerprint,
  type PrivateRefusal,
} from "../release/private/schema.ts";
import type { RecordConflict } from "../projects/run-changes/publish-changes.ts";

/** The states of a run; `run.ts` says which may follow which. */
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

/** `build` changes the site; `ask` only reads and answers in words. */
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
  /** Where a renamed file was. */
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

/** A part of a page that the owner pointed at, with the place in the source that it comes from. */
const pickedElement = z.strictObject({
  file: sourcePath,
  line: z.number().int().min(1).max(1_000_000),
  column: z.number().int().min(1).max(1_000_000),
  /** Its HTML name, such as `h1`. */
  tag: code(40).regex(/^[a-z][a-z0-9-]{0,39}$/),
  /** What it says, shortened. */
  text: paragraphs(300),
  /** The page it stands on, root-relative. */
  page: line(2000),
});
export type PickedElement = z.infer<typeof pickedElement>;

/** An image that goes with words: a stored one that the page may use, or one that is only seen. */
export const attachment = z.discriminatedUnion("use", [
  z.strictObject({ use: z.literal("page"), mediaId: z.number().int().min(1).max(2_147_483_647) }),
  z.strictObject({ use: z.literal("reference"), referenceId: code(64) }),
]);
export type Attachment = z.infer<typeof attachment>;

const elements = z.array(pickedElement).max(20);
const attachments = z.array(attachment).max(10);

/** What the owner said while a run was working. */
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

/** What a build would change about the site's quality, against the site as it is live. */
export const buildReport = z.object({
  /** How many pages differ from the live ones and were looked at. */
  pages: z.number().int(),
  /** Findings that the live site does not have, the weightiest first; at most 100. */
  findings: z.array(checkFinding),
  /** How many there are of them, also beyond those listed. */
  added: z.object({ error: z.number().int(), warning: z.number().int(), notice: z.number().int() }),
  /** How many findings of the live site are gone. */
  fixed: z.number().int(),
  /** Links and files inside the site that lead nowhere on the pages looked at, old ones too. */
  brokenLinks: z.number().int(),
  /** What a first visit of the changed pages loads, in bytes, before and after. */
  bytes: z.object({ before: z.number().int(), after: z.number().int() }),
  /** Pages on which there is nothing to see: a build with one is never ready. */
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
  /** What the cost is in, such as USD; null where it isn't said. */
  currency: z.string().nullable(),
  baseCommit: z.string().nullable(),
  commit: z.string().nullable(),
  filesChanged: z.array(fileChange),
  message: z.string(),
  summary: z.string(),
  error: z.string().nullable(),
  restoredRunId: z.string().nullable(),
  /** Of a restore: whether it takes back one change, or brings the site back to how that one left it. */
  restoreMode: z.enum(["undo", "version"]).nullable(),
  elements,
  attachments,
  /** The run whose work or instruction this one takes up. */
  origin: z.object({ runId: z.string(), kind: z.enum(["continue", "reapply"]) }).nullable(),
  /** The queued task that it is an attempt at, which are counted from 1. */
  task: z.object({ id: z.number().int(), attempt: z.number().int() }).nullable(),
  /** Whether a retry goes on from where it stood: its work and its conversation are still there. */
  canContinue: z.boolean(),
  /** What was said meanwhile, in order; those withdrawn are left out. */
  messages: z.array(runMessage),
  checks: buildReport.nullable(),
  /**
   * Whether the changelog that visitors read mentions it, for a preview unless its publish says
   * otherwise; null where there is nothing to mention.
   */
  isInChangelog: z.boolean().nullable(),
  previewUrl: z.string().nullable(),
  createdAt: z.string(),
  startedAt: z.string().nullable(),
  finishedAt: z.string().nullable(),
});
export type Run = z.infer<typeof run>;

/** A page of this site: a root-relative address (`//host` would leave it), at most 2,000 characters. */
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
  /** A run that is ready or was interrupted, on whose work this instruction builds. */
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

/** `fresh`: begins at the beginning although there is work to go on from. */
export const retryBody = z.strictObject({
  runId: code(64),
  fresh: z.boolean().default(false),
});

/** `undo` takes back this one change; `version` brings the site back to how it was after it. */
export const restoreBody = z.strictObject({
  runId: code(64),
  mode: z.enum(["undo", "version"]).default("undo"),
});

/** What a run changes of one field of a project, as lines of text for people. */
export const runRecordChange = z.object({
  /** The change's name, with its field, for a decision about it. */
  record: z.string(),
  field: z.string(),
  /** Null for a draft that isn't created yet. */
  projectId: z.number().int().nullable(),
  slug: z.string(),
  /** What the project is called. */
  name: z.string(),
  /** As the run found it; null where there was nothing. */
  before: z.string().nullable(),
  /** As the run leaves it; null where it takes the project away. */
  after: z.string().nullable(),
  /** As it is stored now; null where there is no such project. */
  present: z.string().nullable(),
  /** The record has been changed in the same field since: a publish waits for a decision. */
  isConflict: z.boolean(),
});
export type RunRecordChange = z.infer<typeof runRecordChange>;
export const runRecordChanges = z.object({ changes: z.array(runRecordChange) });

/** `run` writes the run's value over what is stored now, `record` drops the run's change. */
export const resolveRecordBody = z.strictObject({
  runId: code(64),
  record: code(200),
  field: code(40),
  keep: z.enum(["run", "record"]),
});
export type ResolveRecord = z.infer<typeof resolveRecordBody>;

export const runIdBody = z.strictObject({ runId: code(64) });
export const runIdParams = z.strictObject({ id: code(64) });

/** `confirmPrivate`: the fingerprint of a refusal with code `private_text`, to publish all the same. */
export const publishBody = z.strictObject({
  runId: code(64),
  confirmPrivate: privateFingerprint.nullish(),
  /** Whether visitors read of it in the changelog; left out, as in the preview. */
  mentionInChangelog: z.boolean().nullish(),
});
export const runStarted = z.object({ runId: z.string() });
export const runDiff = z.object({ files: z.array(fileDiff) });

/** What each type of run event carries. */
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
  /** What goes live with private text of the records, because the owner has confirmed it. */
  "private.confirmed": { findings: readonly PrivateFinding[]; total: number; by: string };
  /**
   * With `conflict`, the files that others have changed in the same places; with `records`, the
   * fields of records; with `private`, what a publish would have shown, to be confirmed by its
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

/** A middle and a high value (90th percentile) of what runs here took. */
const range = z.object({ typical: z.number(), high: z.number() });
const spending = z.object({ tokens: z.number(), cost: z.number().nullable() });
const ceiling = z.object({ tokens: z.number().nullable(), cost: z.number().nullable() });

/** What a run like those before will take, and what may still be spent. */
export const estimate = z.object({
  model: z.string(),
  /** How many runs it is made from; with less than three there is none. */
  runs: z.number().int(),
  /** What the model in use costs in; null where it isn't said. All costs here are in it. */
  currency: z.string().nullable(),
  /** Those that count: what a provider read from its cache counts a tenth. */
  tokens: range.nullable(),
  cost: range.nullable(),
  seconds: range.nullable(),
  run: ceiling,
  day: z.object({ spent: spending, ceiling }),
  month: z.object({ spent: spending, ceiling }),
});
export type Estimate = z.infer<typeof estimate>;

export const estimateQuery = z.strictObject({ mode: runMode.default("build") });

/** GET /devconsole/blame: who last touched a line; with `runId` in that run's preview. */
export const blameQuery = z.strictObject({
  file: sourcePath,
  line: z.coerce.number().int().min(1).max(1_000_000),
  runId: code(64).optional(),
});
export const blame = z.object({
  file: z.string(),
  line: z.number().int(),
  /** Null for a line of a preview that is in no commit yet. */
  commit: z.string().nullable(),
  actor: z.string(),
  at: z.string(),
  /** The commit's subject, or the run's instruction where there is no commit yet. */
  message: z.string(),
  /** The run that did it; null for an edit by hand and for the site as it was installed. */
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
