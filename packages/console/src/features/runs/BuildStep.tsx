import type { ReactElement } from "react";

import { formatCount } from "../../ui/format.ts";
import { firstLine } from "./labels.ts";
import { LogText } from "./LogText.tsx";
import type { BuildItem } from "./run-view.ts";
import { Step } from "./Step.tsx";
import { timeOf } from "./ToolStep.tsx";

function titleOf(build: BuildItem): string {
  const again = build.attempt > 1 ? " again" : "";
  if (build.state === "running") return `Building preview${again}`;
  if (build.state === "done" && build.pages !== null) {
    return `Built ${formatCount(build.pages, "page")}${again}`;
  }
  return build.state === "failed" ? `The build failed${again}` : `Building preview${again}`;
}

/** A build attempt with its latest line, and its whole log when expanded. */
export function BuildStep({ item, now }: { item: BuildItem; now: number }): ReactElement {
  const log = [...item.lines, ...item.errors];
  const note =
    item.state === "running"
      ? (item.lines.findLast((line) => line.trim() !== "") ?? "")
      : firstLine(item.errors.join("\n"));
  return (
    <>
      <Step state={item.state} title={titleOf(item)} took={timeOf(item, now)}>
        {log.length > 0 && <LogText label="Build log" lines={log} />}
      </Step>
      {note !== "" && <p className={item.state === "failed" ? "reason" : "quiet line"}>{note}</p>}
    </>
  );
}
