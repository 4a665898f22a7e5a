import { z } from "zod";
import { pageSchema, pageQuery } from "../../kit/envelope.ts";
import { code, line, maxId, rowId as id, boundedText } from "../../kit/fields.ts";
import { privateFingerprint } from "../release/private/schema.ts";
import { fileChange, runStatus } from "../runs/schema.ts";

/** A change to the site, work on the page of one project, or a fix of a finding. */
export const taskKind = z.enum(["edit", "project", "qa-fix"]);
export type TaskKind = z.infer<typeof taskKind>;

/** The status of the project that a task creates. */
export const newProjectStatus = z.enum(["draft", "published"], "must be draft or published");
export type NewProjectStatus = z.infer<typeof newProjectStatus>;

/** The states of a task; see `task.ts` for the transitions. */
export const taskStatus = z.enum([
  "queued",
  "claimed",
  "building",
  "needs_review",
  "published",
  "reverted",
  "failed",
  "cancelled",
]);
export type TaskStatus = z.infer<typeof taskStatus>;

/** Limits: characters of the texts, number of images. */
export const taskBounds = { title: 140, instruction: 8000, attachments: 10 } as const;

/** Why a change doesn't go live before a person has reviewed it. */
export const reviewReason = z.object({
  kind: z.enum([
    "scope",
    "appearance",
    "script",
    "origin",
    "size",
    "checks",
    "unchecked",
    "uncontained",
    "dirty_tree",
    "not_published",
    "private",
    "setting",
  ]),
  /** One sentence for people. */
  message: z.string(),
  /** The addresses, origins, or files it is about; at most 20. */
  items: z.array(z.string()),
  /** Of private text: sent with the approval, which allows exactly this to go live. */
  fingerprint: z.string().exactOptional(),
});
export type ReviewReason = z.infer<typeof reviewReason>;

/** What a task may change on a page: see `scope/`. */
export const scopeKind = z.enum(["text", "meta", "alt", "links", "images", "shared"]);
export type ScopeKind = z.infer<typeof scopeKind>;

/** Which values in theme.css a task may change. */
export const styleAspect = z.enum([
  "accent",
  "background",
  "text",
  "line",
  "font",
  "size",
  "spacing",
  "radius",
]);
export type StyleAspect = z.infer<typeof styleAspect>;

const scopePage = line(200, {
  min: 1,
  controls: "can't contain line breaks or control characters",
});

/** What a task is about, which determines what may go live without review. */
export const taskScope = z.object({
  /**
   * Addresses of pages (`/about/`), or names in the owner's words (`about`); `*` means every page.
   * Empty: one content page at most.
   */
  pages: z.array(scopePage).max(20),
  kinds: z.array(scopeKind).max(6),
  style: z.array(styleAspect).max(8),
  /** Only a few words of a text, as for a typo. */
  isMinorEdit: z.boolean(),
  /** Whether passages may be removed. */
  allowsRemovals: z.boolean(),
  /** Quotes in the instruction: each changed passage has to contain one, before or after. */
  quotes: z.array(z.string().max(500)).max(20),
  /** Stems of the words that the task is about: a changed passage has to be about one. */
  keywords: z.array(z.string().max(20)).max(80),
  /** Where links should lead according to the task: addresses, and stems of words. */
  targets: z.array(z.string().max(200)).max(80),
  /** Whether several parts of a page may change. */
  allowsSeveralParts: z.boolean(),
  /**
   * Prices, numbers, and names of services in the instruction: only these may be added to a text.
   */
  allowedFacts: z.array(z.string().max(60)).max(60),
  /** Old and new words in the instruction: if there are any, texts may change in nothing else. */
  rewrites: z.array(z.object({ from: z.string().max(500), to: z.string().max(500) })).max(20),
  /**
   * The instruction split at punctuation: what it dictates is one piece or several consecutive
   * ones.
   */
  dictatedPieces: z.array(z.string().max(500)).max(60),
  /** Whether a text is dictated after a colon; quoted new words are dictated as well. */
  isDictation: z.boolean(),
  /** Whether the task adds something and removes nothing. */
  isAddition: z.boolean(),
  /**
   * What a finding is about: addresses of links and of images, and misspelled words. Only these may
   * change; null: no such restriction.
   */
  only: z.object({
    links: z.array(z.string().max(2000)).max(60).nullable(),
    images: z.array(z.string().max(2000)).max(60).nullable(),
    misspelledWords: z.array(z.string().max(100)).max(60).nullable(),
  }),
});
export type TaskScope = z.infer<typeof taskScope>;

/** The state of a task's run as shown on its card. */
export const taskRun = z.object({
  id: z.string(),
  attempt: z.number().int(),
  status: runStatus,
  /** A short text about what it is doing now; null if it isn't running. */
  step: z.string().nullable(),
  filesChanged: z.array(fileChange),
  summary: z.string(),
  error: z.string().nullable(),
  model: z.string(),
  inputTokens: z.number().int(),
  outputTokens: z.number().int(),
  cost: z.number().nullable(),
  currency: z.string().nullable(),
  previewUrl: z.string().nullable(),
  createdAt: z.string(),
  startedAt: z.string().nullable(),
  finishedAt: z.string().nullable(),
});
export type TaskRun = z.infer<typeof taskRun>;

export const task = z.object({
  id: z.number().int(),
  kind: taskKind,
  title: z.string(),
  instruction: z.string(),
  /** The page it is about, root-relative. */
  pageUrl: z.string().nullable(),
  /** The project that it is about or, once it exists, has created. */
  projectId: z.number().int().nullable(),
  /** The status of the project that it creates; null if it creates none. */
  projectStatus: newProjectStatus.nullable(),
  findingId: z.number().int().nullable(),
  /** IDs of media. */
  attachments: z.array(z.number().int()),
  priority: z.number().int(),
  status: taskStatus,
  /** How often it was started since a person last queued it, and the maximum. */
  attempts: z.number().int(),
  maxAttempts: z.number().int(),
  /** Why a queued task waits, and until when; null if it only waits for its turn. */
  waiting: z.object({ reason: z.string(), until: z.string() }).nullable(),
  /** Who works on it: a runner's ID or the name of another worker. */
  claimedBy: z.string().nullable(),
  leaseExpiresAt: z.string().nullable(),
  /** The newest run; null before the first one. */
  run: taskRun.nullable(),
  commit: z.string().nullable(),
  error: z.string().nullable(),
  review: z.array(reviewReason),
  scope: taskScope,
  /** The same in a sentence: "May change without review: text on About." */
  scopeSummary: z.string(),
  /** When a person approved it, while the publish isn't complete. */
  approvedAt: z.string().nullable(),
  actor: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
  startedAt: z.string().nullable(),
  finishedAt: z.string().nullable(),
});
export type Task = z.infer<typeof task>;

export const taskEvent = z.object({
  type: z.enum([
    "created",
    "requeued",
    "needs_review",
    "approved",
    "refused",
    "published",
    "reverted",
    "failed",
    "cancelled",
    "retried",
  ]),
  message: z.string(),
  at: z.string(),
});
export type TaskEvent = z.infer<typeof taskEvent>;

/** A task with all details. */
export const taskDetail = task.extend({
  project: z.object({ id: z.number().int(), slug: z.string(), name: z.string() }).nullable(),
  /** Its runs, newest first; at most 100. */
  runs: z.array(taskRun),
  /** Its history, oldest first. */
  events: z.array(taskEvent),
});
export type TaskDetail = z.infer<typeof taskDetail>;

interface ProjectChoice {
  kind: TaskKind;
  projectId?: number | null | undefined;
  projectStatus?: NewProjectStatus | null | undefined;
  scope?: unknown;
}

/** Invalid combinations in a task about a project, by field. */
function projectProblems({ kind, projectId, projectStatus, scope }: ProjectChoice) {
  const hasProject = typeof projectId === "number";
  const problems: Record<string, string> = {};
  if (typeof projectStatus !== "string") {
    if (kind === "project" && !hasProject) {
      problems["projectId"] = "is required, or projectStatus for a new project";
    }
    return problems;
  }
  if (kind !== "project") problems["projectStatus"] = "can be used only with kind project";
  else if (hasProject) problems["projectStatus"] = "is for a new project: leave projectId out";
  if (scope !== undefined) problems["scope"] = "can't be given for a new project";
  return problems;
}

export const taskCreate = z
  .strictObject({
    kind: taskKind.default("edit"),
    /** By default, the instruction's first words. */
    title: boundedText(taskBounds.title, { multiline: false }).optional(),
    instruction: boundedText(taskBounds.instruction, { least: 1 }),
    pageUrl: z
      .string()
      .max(2000)
      .regex(
        /^\/(?![/\\])[^\s\\\p{Cc}\p{Cs}\p{Bidi_C}]*$/u,
        "must be a root-relative address such as /about/",
      )
      .nullish(),
    projectId: id.nullish(),
    /** Asks for a new project, with the instruction as its brief and the images as its gallery. */
    projectStatus: newProjectStatus.nullish(),
    findingId: id.nullish(),
    attachments: z
      .array(id)
      .max(taskBounds.attachments, `names more than ${taskBounds.attachments} images`)
      .superRefine((ids, context) => {
        for (const [at, one] of ids.entries()) {
          if (ids.indexOf(one) === at) continue;
          context.addIssue({ code: "custom", message: "is listed twice", path: [at] });
        }
      })
      .default([]),
    priority: z.number("must be a number").int().min(-1).max(1).default(0),
    /** What may go live without review, instead of what is derived from the instruction. */
    scope: taskScope.pick({ pages: true, kinds: true, style: true }).partial().strict().optional(),
  })
  .superRefine((given, context) => {
    for (const [field, message] of Object.entries(projectProblems(given))) {
      context.addIssue({ code: "custom", message, path: [field] });
    }
  });
export type TaskCreate = z.infer<typeof taskCreate>;

/** `newest` by the last change; `queue` in the order in which tasks start. */
export const taskSort = z.enum(["newest", "queue"]);

/** `status`: one or several states, separated by commas. */
export const taskListQuery = z.strictObject({
  ...pageQuery,
  status: code(200)
    .transform((text) => text.split(","))
    .pipe(z.array(taskStatus).min(1))
    .optional(),
  kind: taskKind.optional(),
  findingId: z.coerce.number().int().min(1).max(maxId).optional(),
  sort: taskSort.default("newest"),
});
export type TaskListQuery = z.infer<typeof taskListQuery>;
export const taskList = pageSchema(task);

/** The columns of the board, in order. */
export const boardColumn = z.enum(["queued", "running", "needs_review", "published", "ended"]);
export type BoardColumn = z.infer<typeof boardColumn>;

/** Everything the board shows, in one response: the first 50 tasks and the total of each column. */
export const taskBoard = z.object({
  columns: z.array(
    z.object({ column: boardColumn, total: z.number().int(), items: z.array(task) }),
  ),
  paused: z.boolean(),
  /** The number of live runners; with none, no task starts. */
  runners: z.number().int(),
  /** The server's time, ISO 8601 UTC, for calculating elapsed times. */
  now: z.string(),
});
export type TaskBoard = z.infer<typeof taskBoard>;

/** The number of tasks by place. */
export const taskCounts = z.object({
  queued: z.number().int(),
  running: z.number().int(),
  needsReview: z.number().int(),
  paused: z.boolean(),
});
export type TaskCounts = z.infer<typeof taskCounts>;

export const taskIdQuery = z.strictObject({ id: z.coerce.number().int().min(1).max(maxId) });
export const taskIdBody = z.strictObject({ id });

/** `confirmPrivate`: the fingerprint of the task's `private` reason, which has to be confirmed. */
export const approveBody = z.strictObject({ id, confirmPrivate: privateFingerprint.nullish() });
export const noBody = z.strictObject({});
export const queuePause = z.object({ paused: z.boolean() });

/** What the worker starts with. */
export const workerStarted = z.object({
  queued: z.number().int(),
  running: z.number().int(),
  paused: z.boolean(),
});
