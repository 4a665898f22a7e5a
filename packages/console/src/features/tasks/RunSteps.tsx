import type { ReactElement } from "react";

import { Disclosure, type Folds } from "../../ui/Disclosure.tsx";
import type { TaskRun } from "../../api/types.ts";
import { ChangedFiles } from "../runs/ChangedFiles.tsx";
import { differenceOf } from "../runs/check-labels.ts";
import { ChecksList } from "../runs/ChecksList.tsx";
import { isFinal } from "../runs/follow-run.ts";
import { changeSummary } from "../runs/labels.ts";
import { LiveRunLog } from "../runs/LiveRunLog.tsx";
import { useRun } from "../runs/useRun.ts";

interface RunStepsProps {
  run: TaskRun;
  /** Whether its files are expanded. */
  diffs: Folds;
}

function Steps({ run, diffs }: RunStepsProps): ReactElement {
  const live = useRun(run.id);
  const { view } = live;
  const over = view.status !== null && isFinal(view.status);
  const files = view.files.length > 0 ? view.files : run.filesChanged;
  return (
    <>
      <LiveRunLog
        live={live}
        diffs={diffs}
        withoutInstruction
        {...(over ? {} : { empty: "No steps yet." })}
      />
      {view.checks !== null && (
        <div className="opening">
          <Disclosure className="line" label={`Checks: ${differenceOf(view.checks)}`}>
            <ChecksList report={view.checks} />
          </Disclosure>
        </div>
      )}
      {files.length > 0 && (
        <div className="opening">
          <Disclosure className="line" label={changeSummary(files)}>
            <ChangedFiles runId={run.id} diffs={diffs} />
          </Disclosure>
        </div>
      )}
    </>
  );
}

/** A run's steps as they happen, its changes, and the findings in its preview. */
export function RunSteps(props: RunStepsProps): ReactElement {
  return <Steps key={props.run.id} {...props} />;
}
