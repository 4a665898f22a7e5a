import { type ReactElement, useEffect, useState } from "react";

import { Disclosure, type Folds } from "../../ui/Disclosure.tsx";
import type { Run } from "../../api/types.ts";
import { plainText } from "../../ui/plain-text.ts";
import { LogItems } from "./LogItems.tsx";
import { useRunsApi } from "./runs-api.ts";
import { UserMessage } from "./UserMessage.tsx";
import { useRun } from "./useRun.ts";

type RunOrigin = NonNullable<Run["origin"]>;

/** A run's instruction once loaded; empty if the run is gone. */
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

/** The run that this one continues, with a link to its steps. */
export function Origin(props: { origin: RunOrigin; diffs: Folds }): ReactElement {
  const { runId, kind } = props.origin;
  const instruction = useInstruction(runId);
  const words =
    kind === "continue" ? "Continues from " : "Applied again to the new version of the site: ";
  const label = (
    <span className="title">
      {words}
      {instruction === null ? "an earlier run" : <q>{instruction}</q>}
    </span>
  );
  return (
    <div className="origin">
      <Disclosure className="step" label={label}>
        <EarlierSteps runId={runId} diffs={props.diffs} />
      </Disclosure>
    </div>
  );
}

function EarlierSteps(props: { runId: string; diffs: Folds }): ReactElement {
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
