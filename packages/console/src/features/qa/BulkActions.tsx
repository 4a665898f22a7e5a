import { type ReactElement, useState } from "react";

import { Button } from "../../ui/Button.tsx";
import { focusHeading } from "../../ui/focus.ts";
import { formatCount } from "../../ui/format.ts";
import { ErrorState } from "../errors/ErrorState.tsx";
import { IgnoreDialog } from "./IgnoreDialog.tsx";
import { useFindingActions } from "./useFindingActions.ts";
import type { Selection } from "./useSelection.ts";

/** Actions for all selected findings; stays visible while scrolling. */
export function BulkActions({ selection }: { selection: Selection }): ReactElement | null {
  const { findings } = selection;
  const { fix } = useFindingActions();
  const [ignoring, setIgnoring] = useState(false);
  if (findings.length === 0 && !ignoring && !fix.isError) return null;
  const done = (): void => {
    selection.clear();
    focusHeading();
  };
  return (
    <div className="bulk" role="region" aria-label="Selected findings">
      <p>
        <b>{formatCount(findings.length, "finding")}</b> selected
        {selection.full && <span className="muted"> · that’s the maximum</span>}
      </p>
      <div className="actions">
        <Button
          variant="primary"
          busy={fix.isPending}
          inert={findings.length === 0}
          onClick={() => fix.mutate(findings, { onSuccess: done })}
        >
          Fix selected
        </Button>
        <Button inert={findings.length === 0} onClick={() => setIgnoring(true)}>
          Ignore selected
        </Button>
        <Button
          variant="bare"
          onClick={() => {
            fix.reset();
            done();
          }}
        >
          Clear selection
        </Button>
      </div>
      <ErrorState
        what="Couldn’t queue all of them."
        error={fix.error}
        note="Findings that weren’t queued are still selected."
      />
      {ignoring && (
        <IgnoreDialog
          findings={findings}
          onClose={() => {
            setIgnoring(false);
            selection.clear();
          }}
        />
      )}
    </div>
  );
}
