import type {
  Attachment,
  PickedElement,
  RunEventData,
  RunMode as Mode,
} from "../../../server/src/features/runs/schema.ts";

export type {
  InlineAnswer,
  InlineEdit,
  InlineTarget,
} from "../../../server/src/features/agent/inline/schema.ts";
export type { PrivateRefusal } from "../../../server/src/features/release/private/schema.ts";
export type { Blame, Estimate } from "../../../server/src/features/runs/schema.ts";
export type {
  Attachment,
  BuildReport,
  CheckFinding,
  FileChange as FileCount,
  FileDiff,
  PickedElement,
  Run,
  RunEvent,
  RunMessage,
  RunMode as Mode,
  RunRecordChange,
  RunStatus,
} from "../../../server/src/features/runs/schema.ts";

export type { Entry } from "../../../server/src/features/changelog/schema.ts";
export type {
  Job,
  DescribedMedia,
  ListedMedia,
  MediaItem,
  MediaKind,
  MediaList,
  MediaUse,
  UploadedMedia,
} from "../../../server/src/features/media/schema.ts";
export type {
  ProjectDetail,
  ProjectFilters,
  ProjectList,
  ProjectSort,
  ProjectStatus,
  ProjectSummary,
  StaleProject,
} from "../../../server/src/features/projects/schema.ts";
export type { RebuildState } from "../../../server/src/features/release/schema.ts";
export type {
  BoardColumn,
  ReviewReason,
  Task,
  TaskBoard,
  TaskCounts,
  TaskDetail,
  TaskEvent,
  TaskKind,
  TaskRun,
  TaskStatus,
} from "../../../server/src/features/tasks/schema.ts";

export type {
  Counts,
  FindingRecord as QaFinding,
  FixAnswer,
  IgnoreRuleRecord as IgnoreRule,
  Overview as QaOverview,
  QaRun,
} from "../../../server/src/features/qa/schema.ts";

/** The context of an instruction or a message. */
export interface InstructionContext {
  elements?: readonly PickedElement[];
  attachments?: readonly Attachment[];
}

export interface NewRun extends InstructionContext {
  instruction: string;
  pageUrl: string;
  mode: Mode;
  /** The run to continue. */
  continues?: string;
}

/** What a person can do with a task. */
export type TaskAction = "cancel" | "retry" | "approve";

/** The cost of a run so far. */
export type Usage = RunEventData["usage"];

/** One page of a list. */
export interface Page<T> {
  items: T[];
  total: number;
  page: number;
  perPage: number;
}

/** A successful response. */
export interface Success<T> {
  ok: true;
  data: T;
  error: null;
}

/** An error response. */
export interface Failure {
  ok: false;
  data: null;
  error: { code: string; message: string; fields?: Record<string, string>; details?: unknown };
}
