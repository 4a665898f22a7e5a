import type { ReactElement } from "react";

import type { RunView } from "../run-view.ts";
import { LogText } from "./LogText.tsx";

/** Everything known about why the run failed: its error, then the last build's lines. */
export function FailureLog({ view }: { view: RunView }): ReactElement {
  const build = view.items.findLast((item) => item.kind === "build");
  const lines = [
    ...(view.error?.split("\n") ?? []),
    ...(build?.errors ?? []),
    ...(build?.lines ?? []),
  ];
  return (
    <LogText
      label="Log of the failure"
      lines={lines.length > 0 ? lines : ["Nothing was logged."]}
    />
  );
}
