import type { ReactElement } from "react";

import type { Folds } from "../../ui/Disclosure.tsx";
import { FileCard } from "./FileCard.tsx";
import type { ExploreItem, ToolCall, ToolItem } from "./run-view.ts";
import { StateIcon } from "./StateIcon.tsx";
import { Step } from "./Step.tsx";

/** A call's duration so far in ms; null if it is negligible. */
export function timeOf(call: Pick<ToolCall, "state" | "startedAt" | "durationMs">, now: number) {
  if (call.durationMs !== null) return call.durationMs >= 50 ? call.durationMs : null;
  return call.state === "running" && now - call.startedAt >= 1000 ? now - call.startedAt : null;
}

/** A tool call; with a file, a card that expands to the diff. */
export function ToolStep(props: { item: ToolItem; now: number; diffs: Folds }): ReactElement {
  const { item, now } = props;
  const took = timeOf(item, now);
  if (item.file !== null) {
    return <FileCard file={item.file} state={item.state} took={took} diffs={props.diffs} />;
  }
  return (
    <>
      <Step state={item.state} title={item.title} took={took} />
      {item.error !== null && <p className="reason">{item.error}</p>}
    </>
  );
}

/** Consecutive reads as one line. */
export function ExploreStep({ item, now }: { item: ExploreItem; now: number }): ReactElement {
  const running = item.calls.findLast((call) => call.state === "running");
  const only = item.calls.length === 1 ? item.calls[0] : undefined;
  const stopped = item.calls.some((call) => call.state === "stopped");
  const took = item.calls.reduce((sum, call) => sum + (timeOf(call, now) ?? 0), 0);
  const verb = running ? "Exploring" : "Explored";
  return (
    <Step
      state={running ? "running" : stopped ? "stopped" : (only?.state ?? "done")}
      title={only ? only.title : `${verb} ${item.calls.length} files`}
      took={took > 0 ? took : null}
    >
      {only && only.error === null ? null : (
        <ul className="calls">
          {item.calls.map((call) => (
            <li key={call.callId}>
              <StateIcon state={call.state} />
              <span>
                {call.title}
                {call.error !== null && <span className="reason">{call.error}</span>}
              </span>
            </li>
          ))}
        </ul>
      )}
    </Step>
  );
}
