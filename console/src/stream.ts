import { plainText } from "./plain-text.ts";
import type { FileCount, Run, RunEvent, RunStatus, Usage } from "./types.ts";

export type StepState = "running" | "done" | "failed" | "stopped";

interface Timed {
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
  | { kind: "note"; key: string; text: string };

export type BuildItem = Extract<Item, { kind: "build" }>;
export type ToolItem = Extract<Item, { kind: "tool" }>;
export type ExploreItem = Extract<Item, { kind: "explore" }>;

/** A run as the console shows it, made of its events alone. */
export interface RunView {
  status: RunStatus | null;
  instruction: string;
  model: string | null;
  items: Item[];
  usage: Usage | null;
  previewUrl: string | null;
  files: FileCount[];
  commit: string | null;
  error: string | null;
  /** When the last event arrived, in ms. */
  lastEventAt: number;
}

export const emptyView: RunView = {
  status: null,
  instruction: "",
  model: null,
  items: [],
  usage: null,
  previewUrl: null,
  files: [],
  commit: null,
  error: null,
  lastEventAt: 0,
};

const readingTools = new Set([
  "list",
  "glob",
  "grep",
  "read",
  "view_image",
  "viewImage",
  "list_files",
  "read_file",
]);
const keptLogLines = 500;

/** Adds the events, in order, to what is shown; `now` is the time of their arrival in ms. */
export function reduceEvents(view: RunView, events: readonly RunEvent[], now: number): RunView {
  return events.reduce(
    (result, event) => ({ ...reduceEvent(result, event, now), lastEventAt: now }),
    view,
  );
}

/** Takes over what an answer of the API says about the run: it is newer than the last event. */
export function reduceRecord(view: RunView, run: Run): RunView {
  const settled = settle(view, run.status);
  return {
    ...settled,
    instruction: plainText(run.instruction),
    model: run.model,
    previewUrl: run.previewUrl,
    files: run.filesChanged,
    commit: run.commit,
    error: run.error === null ? null : plainText(run.error),
  };
}

function reduceEvent(view: RunView, event: RunEvent, now: number): RunView {
  switch (event.type) {
    case "run.started":
      return { ...view, instruction: plainText(event.data.instruction), model: event.data.model };
    case "run.status":
      return settle(view, event.data.status);
    case "model.text":
      return addText(view, plainText(event.data.text));
    case "tool.call":
      return addCall(view, event.data, now);
    case "tool.result":
      return endCall(view, event.data);
    case "file.changed":
      return addFile(view, event.data, now);
    case "build.started":
    case "build.log":
    case "build.failed":
    case "build.passed":
      return reduceBuild(view, event, now);
    case "preview.ready":
      return reducePreview(view, event.data);
    case "usage":
      return { ...view, usage: event.data };
    case "run.finished":
      return finish(view, event.data);
    case "error":
      return addNote(view, plainText(event.data.message));
    default:
      return view;
  }
}

function add(view: RunView, item: Item): RunView {
  return { ...view, items: [...view.items, item] };
}

function replace(view: RunView, index: number, item: Item): RunView {
  return { ...view, items: view.items.with(index, item) };
}

function keyOf(view: RunView): string {
  return `i${view.items.length}`;
}

function addText(view: RunView, text: string): RunView {
  const last = view.items.at(-1);
  if (last?.kind === "text")
    return replace(view, view.items.length - 1, { ...last, text: last.text + text });
  return text.trim() === ""
    ? view
    : add(view, { kind: "text", key: keyOf(view), text: text.trimStart() });
}

function addNote(view: RunView, text: string): RunView {
  const known = view.items.some((item) => item.kind === "note" && item.text === text);
  return known || text === "" ? view : add(view, { kind: "note", key: keyOf(view), text });
}

function addCall(
  view: RunView,
  data: { callId: string; tool: string; title: string },
  now: number,
): RunView {
  const call: ToolCall = {
    callId: data.callId,
    title: plainText(data.title) || data.tool,
    state: "running",
    startedAt: now,
    durationMs: null,
    error: null,
  };
  if (!readingTools.has(data.tool))
    return add(view, { kind: "tool", key: keyOf(view), file: null, ...call });
  const last = view.items.at(-1);
  if (last?.kind !== "explore")
    return add(view, { kind: "explore", key: keyOf(view), calls: [call] });
  return replace(view, view.items.length - 1, { ...last, calls: [...last.calls, call] });
}

function endCall(view: RunView, data: Extract<RunEvent, { type: "tool.result" }>["data"]): RunView {
  const ended = (call: ToolCall): ToolCall => ({
    ...call,
    title: plainText(data.title) || call.title,
    state: data.ok ? "done" : "failed",
    durationMs: data.durationMs,
    error: data.ok ? null : plainText(data.error) || "It was refused.",
  });
  const index = view.items.findLastIndex((item) =>
    item.kind === "explore"
      ? item.calls.some((call) => call.callId === data.callId)
      : item.kind === "tool" && item.callId === data.callId,
  );
  const item = view.items[index];
  if (item?.kind === "tool") return replace(view, index, { ...item, ...ended(item) });
  if (item?.kind !== "explore") return view;
  const calls = item.calls.map((call) => (call.callId === data.callId ? ended(call) : call));
  return replace(view, index, { ...item, calls });
}

/** A change belongs to the newest call that has no file yet; without one it stands alone. */
function addFile(view: RunView, data: FileChange, now: number): RunView {
  const file: FileChange = { ...data, path: plainText(data.path), patch: plainText(data.patch) };
  const last = view.items.at(-1);
  if (last?.kind === "tool" && last.file === null)
    return replace(view, view.items.length - 1, { ...last, file });
  return add(view, {
    kind: "tool",
    key: keyOf(view),
    callId: "",
    title: `Changed ${file.path}`,
    state: "done",
    startedAt: now,
    durationMs: null,
    error: null,
    file,
  });
}

type BuildEvent = Extract<RunEvent, { type: `build.${string}` }>;

function reduceBuild(view: RunView, event: BuildEvent, now: number): RunView {
  if (event.type === "build.started") return add(view, startBuild(view, event.data.attempt, now));
  const index = view.items.findLastIndex((item) => item.kind === "build");
  const build = view.items[index];
  if (build?.kind !== "build") return reduceBuild(add(view, startBuild(view, 1, now)), event, now);
  if (event.type === "build.log") {
    const lines = [...build.lines, plainText(event.data.line)].slice(-keptLogLines);
    return replace(view, index, { ...build, lines });
  }
  const passed = event.type === "build.passed";
  return replace(view, index, {
    ...build,
    state: passed ? "done" : "failed",
    durationMs: passed ? event.data.durationMs : Math.max(0, now - build.startedAt),
    pages: passed ? event.data.pages : null,
    errors: passed ? [] : event.data.errors.map(plainText),
  });
}

function startBuild(view: RunView, attempt: number, now: number): BuildItem {
  return {
    kind: "build",
    key: keyOf(view),
    attempt,
    state: "running",
    startedAt: now,
    durationMs: null,
    lines: [],
    errors: [],
    pages: null,
  };
}

function reducePreview(
  view: RunView,
  data: Extract<RunEvent, { type: "preview.ready" }>["data"],
): RunView {
  const ready = {
    ...settle(view, "preview_ready"),
    previewUrl: data.previewUrl,
    files: data.filesChanged,
  };
  const summary = plainText(data.summary).trim();
  const said = ready.items.some((item) => item.kind === "text" && item.text.includes(summary));
  return summary === "" || said
    ? ready
    : add(ready, { kind: "text", key: keyOf(ready), text: summary });
}

function finish(view: RunView, data: Extract<RunEvent, { type: "run.finished" }>["data"]): RunView {
  const ended = settle(view, data.status);
  return {
    ...ended,
    commit: data.commit ?? ended.commit,
    error: typeof data.error === "string" ? plainText(data.error) : ended.error,
  };
}

/** A run that is not worked on any more has no step that is. */
function settle(view: RunView, status: RunStatus): RunView {
  if (!["failed", "cancelled", "interrupted", "discarded", "published"].includes(status))
    return { ...view, status };
  const state: StepState = status === "failed" ? "failed" : "stopped";
  const end = <T extends Timed>(timed: T): T =>
    timed.state === "running" ? { ...timed, state } : timed;
  const items = view.items.map((item) => {
    if (item.kind === "explore") return { ...item, calls: item.calls.map(end) };
    return item.kind === "tool" || item.kind === "build" ? end(item) : item;
  });
  return { ...view, status, items };
}
