import type { BuildReport, RunEvent } from "../../api/types.ts";
import { plainText } from "../../ui/plain-text.ts";
import { add, type ChecksItem, keyOf, replace, type RunView } from "./run-view.ts";

type MessageEvent = Extract<RunEvent, { type: `message.${string}` }>;
type ChecksEvent = Extract<RunEvent, { type: `checks.${string}` }>;

/** The owner's message waits until it is read; then it appears in the log at that point. */
export function reduceMessage(view: RunView, event: MessageEvent): RunView {
  const { id } = event.data;
  const others = view.waiting.filter((message) => message.id !== id);
  if (event.type === "message.withdrawn") return { ...view, waiting: others };
  const text = plainText(event.data.text);
  if (event.type === "message.queued") return { ...view, waiting: [...others, { id, text }] };
  return add({ ...view, waiting: others }, { kind: "message", key: keyOf(view), id, text });
}

/** Checking the built pages is a step; the results belong only to that build. */
export function reduceChecks(view: RunView, event: ChecksEvent, now: number): RunView {
  const started: ChecksItem = {
    kind: "checks",
    key: keyOf(view),
    report: null,
    state: "running",
    startedAt: now,
    durationMs: null,
  };
  if (event.type === "checks.started") return add({ ...view, checks: null }, started);
  const report = sanitizeReport(event.data);
  const index = view.items.findLastIndex((item) => item.kind === "checks");
  const item = view.items[index];
  const open = item?.kind === "checks" && item.state === "running" ? item : null;
  const state = report.blank.length > 0 ? "failed" : "done";
  const done: ChecksItem = { ...(open ?? started), report, state };
  const next = { ...view, checks: report };
  return open === null ? add(next, done) : replace(next, index, done);
}

/** A report whose texts, which come from pages, are safe to show. */
export function sanitizeReport(report: BuildReport): BuildReport {
  return {
    ...report,
    blank: report.blank.map(plainText),
    findings: report.findings.map((finding) => ({
      ...finding,
      page: plainText(finding.page),
      target: finding.target === null ? null : plainText(finding.target),
      message: plainText(finding.message),
    })),
  };
}
