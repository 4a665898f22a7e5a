import type { MediaList } from "../../../src/features/media/schema.ts";

export type { Entry } from "../../../src/features/changelog/schema.ts";
export type {
  Job,
  ListedMedia,
  MediaItem,
  MediaKind,
  MediaList,
  MediaUse,
  UploadedMedia,
} from "../../../src/features/media/schema.ts";
export type {
  ProjectDetail,
  ProjectFilters,
  ProjectList,
  ProjectSort,
  ProjectStatus,
  ProjectSummary,
  StaleProject,
} from "../../../src/features/projects/schema.ts";
export type { RebuildState } from "../../../src/features/release/schema.ts";
export type {
  BoardColumn,
  Task,
  TaskBoard,
  TaskDetail,
  TaskEvent,
  TaskKind,
  TaskRun,
  TaskStatus,
} from "../../../src/features/tasks/schema.ts";

/** One page of a list. */
export type Page<T> = Omit<MediaList, "items"> & { items: T[] };

/** An answer that carries what was asked for. */
export interface Success<T> {
  ok: true;
  data: T;
  error: null;
}

/** An answer that refuses. */
export interface Failure {
  ok: false;
  data: null;
  error: { code: string; message: string; fields?: Record<string, string>; details?: unknown };
}
