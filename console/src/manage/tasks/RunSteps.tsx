import { type ReactElement, useId, useState } from "react";

import { ChangedFiles } from "../../components/ChangedFiles.tsx";
import { ChecksList } from "../../components/ChecksList.tsx";
import { differenceOf } from "../../components/checks-words.ts";
import { ConnectionNotice } from "../../components/ConnectionNotice.tsx";
import { Icon } from "../../components/Icon.tsx";
import { Skeleton } from "../../components/Skeleton.tsx";
import { StreamLog } from "../../components/StreamLog.tsx";
import { isFinal } from "../../follow.ts";
import { useRun } from "../../hooks/useRun.ts";
import { noSteps } from "../../no-steps.ts";
import { changeCount } from "../../words.ts";
import type { TaskRun } from "../types.ts";
import { ConsolePart } from "./ConsolePart.tsx";

const noDiffs = { open: false, turn: 0 };

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

function Steps({ run }: { run: TaskRun }): ReactElement {
  const live = useRun(run.id);
  const { view } = live;
  const loading = view.status === null && live.error === null && live.connection !== "offline";
  // The instruction stands above already.
  const shown = { ...view, instruction: "" };
  const files = view.files.length > 0 ? view.files : run.filesChanged;
  return (
    <>
      {loading ? (
        <Skeleton lines={4} />
      ) : (
        <StreamLog
          view={shown}
          origin={live.run?.origin ?? null}
          diffs={noDiffs}
          empty={view.status !== null && isFinal(view.status) ? noSteps(live) : "No steps yet."}
        />
      )}
      <ConnectionNotice live={live} />
      {view.checks !== null && (
        <Opening label={`Checks: ${differenceOf(view.checks)}`}>
          {() => <ChecksList report={view.checks as NonNullable<typeof view.checks>} />}
        </Opening>
      )}
      {files.length > 0 && (
        <Opening label={changeCount(files)}>
          {() => <ChangedFiles runId={run.id} diffs={noDiffs} />}
        </Opening>
      )}
    </>
  );
}

/** The steps of a run as they happen, what it changed and what was found in its preview. */
export function RunSteps({ run }: { run: TaskRun }): ReactElement {
  return (
    <ConsolePart name="steps">
      <Steps key={run.id} run={run} />
    </ConsolePart>
  );
}
