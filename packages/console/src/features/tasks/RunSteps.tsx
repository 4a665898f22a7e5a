import { type ReactElement, useId, useState } from "react";

import type { TaskRun } from "../../api/types.ts";
import { Icon } from "../../ui/Icon.tsx";
import { ChangedFiles } from "../runs/ChangedFiles.tsx";
import { differenceOf } from "../runs/check-labels.ts";
import { ChecksList } from "../runs/ChecksList.tsx";
import { isFinal } from "../runs/follow-run.ts";
import { changeSummary } from "../runs/labels.ts";
import { LiveRunLog } from "../runs/LiveRunLog.tsx";
import type { Diffs } from "../runs/LogItem.tsx";
import { useRun } from "../runs/useRun.ts";

/** A line that opens to more. */
function Opening(props: {
  label: string;
  startsOpen?: boolean;
  children: () => ReactElement;
}): ReactElement {
  const id = useId();
  const [open, setOpen] = useState(props.startsOpen ?? false);
  return (
    <div className="opening">
      <button
        type="button"
        className="line"
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setOpen(!open)}
      >
        {props.label} <Icon name="chevron" />
      </button>
      <div id={id} hidden={!open}>
        {open && props.children()}
      </div>
    </div>
  );
}

interface RunStepsProps {
  run: TaskRun;
  /** Whether its files are open. */
  diffs: Diffs;
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
        <Opening label={`Checks: ${differenceOf(view.checks)}`}>
          {() => <ChecksList report={view.checks as NonNullable<typeof view.checks>} />}
        </Opening>
      )}
      {files.length > 0 && (
        <Opening label={changeSummary(files)}>
          {() => <ChangedFiles runId={run.id} diffs={diffs} />}
        </Opening>
      )}
    </>
  );
}

/** The steps of a run as they happen, what it changed and what was found in its preview. */
export function RunSteps(props: RunStepsProps): ReactElement {
  return <Steps key={props.run.id} {...props} />;
}
