import { type ReactElement, useEffect, useRef } from "react";

import type { Folds } from "../../ui/Disclosure.tsx";
import { Button } from "../../ui/Button.tsx";
import { RunPanel } from "../RunPanel.tsx";

function ignore(): void {}

/** A run in the history with its steps, replacing the list. */
export function PastRun(props: {
  runId: string;
  diffs: Folds;
  onRun(runId: string): void;
  onBack(): void;
}): ReactElement {
  const back = useRef<HTMLButtonElement>(null);
  // The pressed button is gone, so the focus moves to the Back button.
  useEffect(() => back.current?.focus(), []);
  return (
    <>
      <div className="back">
        <Button ref={back} variant="small" onClick={props.onBack}>
          Back to history
        </Button>
      </div>
      <RunPanel
        runId={props.runId}
        diffs={props.diffs}
        onRun={props.onRun}
        onCurrent={ignore}
        isLookedAt={false}
        onPreview={ignore}
        onDone={null}
      />
    </>
  );
}
