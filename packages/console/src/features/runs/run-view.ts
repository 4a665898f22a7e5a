import type { BuildReport, FileCount, PrivateRefusal, RunStatus, Usage } from "../../api/types.ts";

export type StepState = "running" | "done" | "failed" | "stopped";

export interface Timed {
  state: StepState;
  /** When the step started, in ms, by this browser's clock. */
  startedAt: number;
  /** Its duration measured by the server; null while it runs. */
  durationMs: number | null;
}

/** A tool call, folded to one line. */
export interface ToolCall extends Timed {
  callId: string;
  title: string;
  error: string | null;
}

export interface FileChange extends FileCount {
  patch: string;
}

export type Item =
  | { kind: "text"; key: string; text: string }
  /** The owner's message, at the point where it was read. */
  | { kind: "message"; key: string; id: number; text: string }
  | ({ kind: "tool"; key: string; file: FileChange | null } & ToolCall)
  | { kind: "explore"; key: string; calls: ToolCall[] }
  | ({
      kind: "build";
      key: string;
      attempt: number;
      lines: string[];
      errors: string[];
      pages: number | null;
    } & Timed)
  | ({ kind: "checks"; key: string; report: BuildReport | null } & Timed)
  | { kind: "note"; key: string; text: string };

/** A message that hasn't been read yet. */
export interface WaitingMessage {
  id: number;
  text: string;
}

export type ChecksItem = Extract<Item, { kind: "checks" }>;
export type BuildItem = Extract<Item, { kind: "build" }>;
export type ToolItem = Extract<Item, { kind: "tool" }>;
export type ExploreItem = Extract<Item, { kind: "explore" }>;

/** A run as shown in the console, derived only from its events. */
export interface RunView {
  status: RunStatus | null;
  instruction: string;
  model: string | null;
  items: Item[];
  waiting: WaitingMessage[];
  /** How the build would change the site's quality; null until its pages were checked. */
  checks: BuildReport | null;
  usage: Usage | null;
  previewUrl: string | null;
  files: FileCount[];
  commit: string | null;
  error: string | null;
  /** The files that blocked publishing, because others have changed them in the same places. */
  conflict: string[];
  /** The private text that blocked publishing, to be confirmed. */
  privateText: PrivateRefusal | null;
  /** When the last event arrived, in ms. */
  lastEventAt: number;
}

export const emptyView: RunView = {
  status: null,
  instruction: "",
  model: null,
  items: [],
  waiting: [],
  checks: null,
  usage: null,
  previewUrl: null,
  files: [],
  commit: null,
  error: null,
  conflict: [],
  privateText: null,
  lastEventAt: 0,
};

/** The view with another log entry. */
export function add(view: RunView, item: Item): RunView {
  return { ...view, items: [...view.items, item] };
}

/** The view with the entry at `index` replaced. */
export function replace(view: RunView, index: number, item: Item): RunView {
  return { ...view, items: view.items.with(index, item) };
}

/** The key of the next entry: the same in each replay. */
export function keyOf(view: RunView): string {
  return `i${view.items.length}`;
}
