import type { ReactElement } from "react";

import type { Folds } from "../../ui/Disclosure.tsx";
import { Skeleton } from "../../ui/Skeleton.tsx";
import { ConnectionNotice } from "./ConnectionNotice.tsx";
import { emptyRunMessage } from "./empty-run.ts";
import { RunLog } from "./RunLog.tsx";
import type { LiveRun } from "./useRun.ts";

/** A run's steps as they happen, or a message that they are loading. */
export function LiveRunLog(props: {
  live: LiveRun;
  diffs: Folds;
  /** The instruction is shown elsewhere. */
  withoutInstruction?: boolean;
  /** The message for a run without steps; by default it depends on the state. */
  empty?: string;
}): ReactElement {
  const { live, diffs } = props;
  const { view, error, connection, run } = live;
  const loading = view.status === null && error === null && connection !== "offline";
  return (
    <>
      {loading ? (
        <Skeleton count={4} shape="line" />
      ) : (
        <RunLog
          view={props.withoutInstruction ? { ...view, instruction: "" } : view}
          origin={run?.origin ?? null}
          diffs={diffs}
          empty={props.empty ?? emptyRunMessage(live)}
        />
      )}
      <ConnectionNotice live={live} />
    </>
  );
}
