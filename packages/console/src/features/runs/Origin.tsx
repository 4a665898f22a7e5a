import { type ReactElement, useEffect, useId, useState } from "react";

import type { Run } from "../../api/types.ts";
import { Icon } from "../../ui/Icon.tsx";
import { plainText } from "../../ui/plain-text.ts";
import type { Diffs } from "./LogItem.tsx";
import { LogItems } from "./LogItems.tsx";
import { useRunsApi } from "./runs-api.ts";
import { UserMessage } from "./UserMessage.tsx";
import { useRun } from "./useRun.ts";

type RunOrigin = NonNullable<Run["origin"]>;

/** The run's instruction once it is known; a run that is gone has none. */
function useInstruction(runId: string): string | null {
  const api = useRunsApi();
  const [instruction, setInstruction] = useState<string | null>(null);
  useEffect(() => {
    let current = true;
    api.getRun(runId).then(
      (run) => current && setInstruction(plainText(run.instruction)),
      () => {},
    );
    return () => {
      current = false;
    };
  }, [api, runId]);
  return instruction;
}

/** Which run this one takes up; its steps are one click away. */
export function Origin(props: { origin: RunOrigin; diffs: Diffs }): ReactElement {
  const { runId, kind } = props.origin;
  const [open, setOpen] = useState(false);
  const id = useId();
  const instruction = useInstruction(runId);
  const words = kind === "continue" ? "Goes on from " : "On the new version of the site, again: ";
  return (
    <div className="origin">
      <button
        type="button"
        className="step"
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setOpen(!open)}
      >
        <span className="title">
          {words}
          {instruction === null ? "an earlier run" : <q>{instruction}</q>}
        </span>
        <Icon name="chevron" />
      </button>
      <div id={id} hidden={!open}>
        {open && <EarlierSteps runId={runId} diffs={props.diffs} />}
      </div>
    </div>
  );
}

function EarlierSteps(props: { runId: string; diffs: Diffs }): ReactElement {
  const { view, run } = useRun(props.runId);
  const origin = run?.origin ?? null;
  return (
    <div className="earlier">
      {origin !== null && <Origin origin={origin} diffs={props.diffs} />}
      {view.instruction !== "" && <UserMessage text={view.instruction} />}
      <LogItems items={view.items} now={0} diffs={props.diffs} />
    </div>
  );
}
