import type { Run, RunEvent, RunStatus } from "../../api/types.ts";
import { plainText } from "../../ui/plain-text.ts";
import { sanitizeReport, reduceChecks, reduceMessage } from "./reduce-messages.ts";
import { addCall, addFile, endCall, reduceBuild } from "./reduce-steps.ts";
import { add, keyOf, replace, type RunView, type StepState, type Timed } from "./run-view.ts";

/** Adds events in order; `now` is their arrival in ms. */
export function applyEvents(view: RunView, events: readonly RunEvent[], now: number): RunView {
  return events.reduce(
    (result, event) => ({ ...reduceEvent(result, event, now), lastEventAt: now }),
    view,
  );
}

/** Applies an API response about the run, which is newer than the last event. */
export function applyRecord(view: RunView, run: Run): RunView {
  const settled = settle(view, run.status);
  return {
    ...settled,
    instruction: plainText(run.instruction),
    model: run.model,
    previewUrl: run.previewUrl,
    files: run.filesChanged,
    commit: run.commit,
    checks: run.checks ? sanitizeReport(run.checks) : null,
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
    case "message.queued":
    case "message.delivered":
    case "message.withdrawn":
      return reduceMessage(view, event);
    case "checks.started":
    case "checks.done":
      return reduceChecks(view, event, now);
    case "preview.ready":
      return reducePreview(view, event.data);
    case "usage":
      return { ...view, usage: event.data };
    case "run.finished":
      return finish(view, event.data);
    case "private.confirmed":
      return addNote(view, `Published with private text that ${event.data.by} confirmed.`);
    case "error":
      return refuse(view, event.data);
    default:
      return view;
  }
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

function refuse(view: RunView, data: Extract<RunEvent, { type: "error" }>["data"]): RunView {
  return {
    ...addNote(view, plainText(data.message)),
    conflict: data.conflict ?? [],
    privateText: data.private ?? null,
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

/** A run that isn't being executed has no running step. */
function settle(view: RunView, status: RunStatus): RunView {
  if (!["failed", "cancelled", "interrupted", "discarded", "published"].includes(status))
    return { ...view, status };
  const state: StepState = status === "failed" ? "failed" : "stopped";
  const end = <T extends Timed>(timed: T): T =>
    timed.state === "running" ? { ...timed, state } : timed;
  const items = view.items.map((item) => {
    if (item.kind === "explore") return { ...item, calls: item.calls.map(end) };
    return "state" in item ? end(item) : item;
  });
  return { ...view, status, items };
}
