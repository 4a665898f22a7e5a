import { type ReactElement, useEffect, useRef } from "react";

import type { Folds } from "../../ui/Disclosure.tsx";
import { Button } from "../../ui/Button.tsx";
import { RunPanel } from "../RunPanel.tsx";

function ignore(): void {}

/** A run of the history with its steps, in place of the list. */
export function PastRun(props: {
  runId: string;
  diffs: Folds;
  onRun(runId: string): void;
  onBack(): void;
}): ReactElement {
  const back = useRef<HTMLButtonElement>(null);
  // What was pressed is gone: the focus goes to the way back.
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
