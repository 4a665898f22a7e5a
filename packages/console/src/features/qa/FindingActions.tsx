import { type ReactElement, useState } from "react";

import { FixForm } from "./FixForm.tsx";
import type { FindingRow } from "./group-findings.ts";
import { IgnoreDialog } from "./IgnoreDialog.tsx";
import { useFindingActions } from "./useFindingActions.ts";

/** The actions for a reported finding. */
export function FindingActions(props: {
  row: FindingRow;
  /** The ID of the element that describes the finding. */
  describedBy: string;
}): ReactElement {
  const { findings } = props.row;
  const { fix } = useFindingActions();
  const [ignoring, setIgnoring] = useState(false);
  return (
    <>
      <FixForm
        findings={findings}
        busy={fix.isPending}
        error={fix.error}
        describedBy={props.describedBy}
        onFix={() => fix.mutate(findings)}
        onIgnore={() => setIgnoring(true)}
      />
      {ignoring && <IgnoreDialog findings={findings} onClose={() => setIgnoring(false)} />}
    </>
  );
}
