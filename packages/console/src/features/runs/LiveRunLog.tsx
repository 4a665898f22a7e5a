import type { ReactElement } from "react";

import type { Folds } from "../../ui/Disclosure.tsx";
import { Skeleton } from "../../ui/Skeleton.tsx";
import { ConnectionNotice } from "./ConnectionNotice.tsx";
import { emptyRunMessage } from "./empty-run.ts";
import { RunLog } from "./RunLog.tsx";
import type { LiveRun } from "./useRun.ts";

/** The steps of a run as they happen, or that they are on their way. */
export function LiveRunLog(props: {
  live: LiveRun;
  diffs: Folds;
  /** The instruction stands elsewhere already. */
  withoutInstruction?: boolean;
  /** What is said of a run that has no steps; else its state decides. */
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
