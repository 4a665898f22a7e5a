import { z } from "zod";
import { pageSchema, pageQuery } from "../../kit/envelope.ts";
import { code, line, maxId, rowId as id, boundedText } from "../../kit/fields.ts";
import { privateFingerprint } from "../release/private/schema.ts";
import { fileChange, runStatus } from "../runs/schema.ts";

/** A change to the site, work on the page of one project, or the repair of a finding. */
export const taskKind = z.enum(["edit", "project", "qa-fix"]);
export type TaskKind = z.infer<typeof taskKind>;

/** What becomes of the new project that a task makes. */
export const newProjectStatus = z.enum(["draft", "published"], "must be draft or published");
export type NewProjectStatus = z.infer<typeof newProjectStatus>;

/** The states of a task; `task.ts` says which may follow which. */
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

/** The most of each: characters of the texts, and pictures. */
export const taskBounds = { title: 140, instruction: 8000, attachments: 10 } as const;

/** Why a change doesn't go live before somebody has looked at it. */
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
    "private",
    "setting",
  ]),
  /** One sentence for people. */
  message: z.string(),
  /** What it is about: addresses, origins, files; at most 20. */
  items: z.array(z.string()),
  /** Of private text: to be sent with the approval, which lets exactly this go live. */
  fingerprint: z.string().exactOptional(),
});
export type ReviewReason = z.infer<typeof reviewReason>;

/** What of a page a task may change: see `scope/`. */
export const scopeKind = z.enum(["text", "meta", "alt", "links", "images", "shared"]);
export type ScopeKind = z.infer<typeof scopeKind>;

/** Which of the values in theme.css a task may change. */
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

/** What a task is about, and so what of it may go live without a review. */
export const taskScope = z.object({
  /**
   * Addresses of pages (`/about/`), or names as the owner's words have them (`about`); `*` stands for
   * every page. None: one content page at most.
   */
  pages: z.array(scopePage).max(20),
  kinds: z.array(scopeKind).max(6),
  style: z.array(styleAspect).max(8),
  /** Only a few words of a text, as for a typing error. */
  isMinorEdit: z.boolean(),
  /** Whether passages may be taken away. */
  allowsRemovals: z.boolean(),
  /** Quoted in the instruction: each changed passage has to hold one, before or after. */
  quotes: z.array(z.string().max(500)).max(20),
  /** Beginnings of the words that say what the task is about: a changed passage has to be about one. */
  keywords: z.array(z.string().max(20)).max(80),
  /** Where links are to lead, by the task's words: addresses, and beginnings of words. */
  targets: z.array(z.string().max(200)).max(80),
  /** Whether several parts of a page may change. */
  allowsSeveralParts: z.boolean(),
  /** Prices, numbers and names of services in the instruction: only these may be new in a text. */
  allowedFacts: z.array(z.string().max(60)).max(60),
  /** Old and new words of the instruction: where there are any, texts change in nothing else. */
  rewrites: z.array(z.object({ from: z.string().max(500), to: z.string().max(500) })).max(20),
  /** The instruction in pieces between its punctuation: what it dictates is one of them or some in a row. */
  dictatedPieces: z.array(z.string().max(500)).max(60),
  /** Whether a text is dictated after a colon; new words that are quoted are dictated as well. */
  isDictation: z.boolean(),
  /** Whether the task asks for something more, and takes nothing away. */
  isAddition: z.boolean(),
  /**
   * What a finding is about, by its kind: addresses of links and of images, and misspelt words. Only
   * these may change; null: no such bound.
   */
  only: z.object({
    links: z.array(z.string().max(2000)).max(60).nullable(),
    images: z.array(z.string().max(2000)).max(60).nullable(),
    misspelledWords: z.array(z.string().max(100)).max(60).nullable(),
  }),
});
export type TaskScope = z.infer<typeof taskScope>;

/** How the run of a task stands, as far as a card tells it. */
export const taskRun = z.object({
  id: z.string(),
  attempt: z.number().int(),
  status: runStatus,
  /** What it does right now, in a few words; null when it isn't at work. */
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
  /** The project that it is about; of a task for a new project, that project once it is there. */
  projectId: z.number().int().nullable(),
  /** What becomes of the new project that it makes; null where it makes none. */
  projectStatus: newProjectStatus.nullable(),
  findingId: z.number().int().nullable(),
  /** Ids of media. */
  attachments: z.array(z.number().int()),
  priority: z.number().int(),
  status: taskStatus,
  /** How often it was begun since a person last queued it, and how often it is at most. */
  attempts: z.number().int(),
  maxAttempts: z.number().int(),
  /** Why a queued task waits, and until when; null when nothing but its turn keeps it. */
  waiting: z.object({ reason: z.string(), until: z.string() }).nullable(),
  /** Who works on it: a runner's id or the name of another worker. */
  claimedBy: z.string().nullable(),
  leaseExpiresAt: z.string().nullable(),
  /** The newest run; null before the first. */
  run: taskRun.nullable(),
  commit: z.string().nullable(),
  error: z.string().nullable(),
  review: z.array(reviewReason),
  scope: taskScope,
  /** The same in a sentence: "May change without review: text on About." */
  scopeSummary: z.string(),
  /** When a person let it go live, while that is still under way. */
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

/** One task with all that is known of it. */
export const taskDetail = task.extend({
  project: z.object({ id: z.number().int(), slug: z.string(), name: z.string() }).nullable(),
  /** Its runs, the newest first; at most 100. */
  runs: z.array(taskRun),
  /** What happened to it, the oldest first. */
  events: z.array(taskEvent),
});
export type TaskDetail = z.infer<typeof taskDetail>;

interface ProjectChoice {
  kind: TaskKind;
  projectId?: number | null | undefined;
  projectStatus?: NewProjectStatus | null | undefined;
  scope?: unknown;
}

/** What doesn't go together in a task that is about a project, by its field. */
function projectProblems({ kind, projectId, projectStatus, scope }: ProjectChoice) {
  const hasProject = typeof projectId === "number";
  const problems: Record<string, string> = {};
  if (typeof projectStatus !== "string") {
    if (kind === "project" && !hasProject) {
      problems["projectId"] = "is needed, or projectStatus for a new project";
    }
    return problems;
  }
  if (kind !== "project") problems["projectStatus"] = "goes with the kind project alone";
  else if (hasProject) problems["projectStatus"] = "is for a new project: leave projectId out";
  if (scope !== undefined) problems["scope"] = "can't be given for a new project";
  return problems;
}

export const taskCreate = z
  .strictObject({
    kind: taskKind.default("edit"),
    /** Made from the instruction's first words unless it is given. */
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
    /** Asks for a new project, which the instruction is the brief of and the images the gallery of. */
    projectStatus: newProjectStatus.nullish(),
    findingId: id.nullish(),
    attachments: z
      .array(id)
      .max(taskBounds.attachments, `names more than ${taskBounds.attachments} pictures`)
      .superRefine((ids, context) => {
        for (const [at, one] of ids.entries()) {
          if (ids.indexOf(one) === at) continue;
          context.addIssue({ code: "custom", message: "is named twice", path: [at] });
        }
      })
      .default([]),
    priority: z.number("must be a number").int().min(-1).max(1).default(0),
    /** What may go live without a review, in the place of what the instruction's words say. */
    scope: taskScope.pick({ pages: true, kinds: true, style: true }).partial().strict().optional(),
  })
  .superRefine((given, context) => {
    for (const [field, message] of Object.entries(projectProblems(given))) {
      context.addIssue({ code: "custom", message, path: [field] });
    }
  });
export type TaskCreate = z.infer<typeof taskCreate>;

/** `newest` by the last change; `queue` in the order in which tasks are taken up. */
export const taskSort = z.enum(["newest", "queue"]);

/** `status`: one state or several with commas between them. */
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

/** The columns of the board, in their order. */
export const boardColumn = z.enum(["queued", "running", "needs_review", "published", "ended"]);
export type BoardColumn = z.infer<typeof boardColumn>;

/** All that the board shows, in one answer: of each column the first 50 and how many there are. */
export const taskBoard = z.object({
  columns: z.array(
    z.object({ column: boardColumn, total: z.number().int(), items: z.array(task) }),
  ),
  paused: z.boolean(),
  /** How many runners live; none means that nothing is taken up. */
  runners: z.number().int(),
  /** The server's time, ISO 8601 UTC, that elapsed times count from. */
  now: z.string(),
});
export type TaskBoard = z.infer<typeof taskBoard>;

/** How many tasks are where. */
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

/** What a drain sets out with. */
export const workerStarted = z.object({
  queued: z.number().int(),
  running: z.number().int(),
  paused: z.boolean(),
});
