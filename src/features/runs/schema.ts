import { z } from "zod";
import { cleanText } from "../../kit/text.ts";

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

export const runKind = z.enum(["edit", "restore"]);

/** `build` changes the site; `ask` only reads and answers in words. */
export const runMode = z.enum(["build", "ask"]);
export type RunMode = z.infer<typeof runMode>;

export const fileChange = z.object({
  path: z.string(),
  added: z.number().int(),
  removed: z.number().int(),
});
export type FileChange = z.infer<typeof fileChange>;

export const fileDiff = fileChange.extend({
  status: z.enum(["added", "modified", "deleted", "renamed"]),
  patch: z.string(),
});
export type FileDiff = z.infer<typeof fileDiff>;

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
  baseCommit: z.string().nullable(),
  commit: z.string().nullable(),
  filesChanged: z.array(fileChange),
  message: z.string(),
  summary: z.string(),
  error: z.string().nullable(),
  restores: z.string().nullable(),
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
  .regex(/^\/(?![/\\])[^\s\\\p{Cc}]*$/u, "must be a root-relative address such as /about/");

export const startBody = z.strictObject({
  instruction: z
    .string()
    .overwrite((text) => cleanText(text, { multiline: true }))
    .min(1)
    .max(8000),
  pageUrl: pageUrl.nullish(),
  mode: runMode.default("build"),
});

export const runIdBody = z.strictObject({ runId: z.string().max(64) });
export const runIdParams = z.object({ id: z.string() });
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
  usage: { inputTokens: number; outputTokens: number; cost: number | null; steps: number };
  "run.finished": { status: RunStatus; commit?: string; message?: string; error?: string };
  error: { message: string };
}

export type RunEventType = keyof RunEventData;

/** An event before it is stored. */
export type RunEvent = { [T in RunEventType]: { type: T; data: RunEventData[T] } }[RunEventType];

/** An event as stored and streamed; `seq` counts from 1 without gaps within its run. */
export type StoredRunEvent = RunEvent & { seq: number; at: string };

/** POST /devconsole/preview: a private build in which one record stands as if it were published. */
export const recordPreviewBody = z.strictObject({
  projectId: z.number("must be a number").int().min(1).max(2_147_483_647),
});

/** `previewUrl` is where the site begins in the preview, `path` the record's page in that site. */
export const recordPreview = z.object({ previewUrl: z.string(), path: z.string() });
