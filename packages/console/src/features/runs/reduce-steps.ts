import type { RunEvent } from "../../api/types.ts";
import { plainText } from "../../ui/plain-text.ts";
import {
  add,
  type BuildItem,
  type FileChange,
  keyOf,
  replace,
  type RunView,
  type ToolCall,
} from "./run-view.ts";

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

export function addCall(
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

export function endCall(
  view: RunView,
  data: Extract<RunEvent, { type: "tool.result" }>["data"],
): RunView {
  const ended = (call: ToolCall): ToolCall => ({
    ...call,
    title: plainText(data.title) || call.title,
    state: data.ok ? "done" : "failed",
    durationMs: data.durationMs,
    error: data.ok ? null : plainText(data.error) || "The request was rejected.",
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

/** A change belongs to the newest call without a file; otherwise it stands alone. */
export function addFile(view: RunView, data: FileChange, now: number): RunView {
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

export function reduceBuild(view: RunView, event: BuildEvent, now: number): RunView {
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
