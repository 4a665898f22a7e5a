import type { BuildReport, FileCount, PrivateRefusal, RunStatus, Usage } from "../../api/types.ts";

export type StepState = "running" | "done" | "failed" | "stopped";

export interface Timed {
  state: StepState;
  /** When the step began, in ms, by this browser's clock. */
  startedAt: number;
  /** What it took, as the server measured it; null while it runs. */
  durationMs: number | null;
}

/** One call of a tool, folded to one line. */
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
  /** What the owner said meanwhile, where it was heard. */
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

/** What was said to the run and not heard yet. */
export interface WaitingMessage {
  id: number;
  text: string;
}

export type ChecksItem = Extract<Item, { kind: "checks" }>;
export type BuildItem = Extract<Item, { kind: "build" }>;
export type ToolItem = Extract<Item, { kind: "tool" }>;
export type ExploreItem = Extract<Item, { kind: "explore" }>;

/** A run as the console shows it, made of its events alone. */
export interface RunView {
  status: RunStatus | null;
  instruction: string;
  model: string | null;
  items: Item[];
  waiting: WaitingMessage[];
  /** What the build would change about the site's quality; null until its pages were looked at. */
  checks: BuildReport | null;
  usage: Usage | null;
  previewUrl: string | null;
  files: FileCount[];
  commit: string | null;
  error: string | null;
  /** The files for which it was not published: others have changed them in the same places. */
  conflict: string[];
  /** The private text that a publish was refused for, to be confirmed. */
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

/** A view with one more entry in its log. */
export function add(view: RunView, item: Item): RunView {
  return { ...view, items: [...view.items, item] };
}

/** A view whose entry at `index` is another. */
export function replace(view: RunView, index: number, item: Item): RunView {
  return { ...view, items: view.items.with(index, item) };
}

/** The key of the entry that is added next: the same at each replay. */
export function keyOf(view: RunView): string {
  return `i${view.items.length}`;
}
