import type { ReactElement } from "react";

import { LogText } from "./LogText.tsx";
import type { RunView } from "./run-view.ts";

/** Why a run failed: its error, then the last build's output. */
export function FailureLog({ view }: { view: RunView }): ReactElement {
  const build = view.items.findLast((item) => item.kind === "build");
  const error = view.error ?? "";
  const lines = [
    ...(error === "" ? [] : error.split("\n")),
    // The run's error often contains it already.
    ...(build?.errors ?? []).filter((line) => !error.includes(line)),
    ...(build?.lines ?? []),
  ];
  return (
    <LogText label="Log of the failure" lines={lines.length > 0 ? lines : ["The log is empty."]} />
  );
}
