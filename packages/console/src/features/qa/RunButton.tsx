import type { ReactElement } from "react";

import { Button } from "../../ui/Button.tsx";
import { ErrorState } from "../errors/ErrorState.tsx";
import type { QaRunActions } from "./useQaRun.ts";

/** Starts a QA run or stops the current one; one button, so that it keeps the focus. */
export function RunButton({ qaRun }: { qaRun: QaRunActions }): ReactElement {
  const { running, run, stop } = qaRun;
  if (!running) {
    return (
      <Button variant="primary" icon="play" busy={run.isPending} onClick={() => run.mutate()}>
        Run now
      </Button>
    );
  }
  const stopping = stop.isPending || stop.isSuccess;
  return (
    <Button icon="stop" busy={stopping} onClick={() => stop.mutate(running.id)}>
      {stopping ? "Stopping…" : "Stop"}
    </Button>
  );
}

/** An error about a QA run. */
export function RunError({ qaRun }: { qaRun: QaRunActions }): ReactElement {
  const { run, stop } = qaRun;
  return (
    <>
      <ErrorState
        what="Couldn’t start the QA run."
        error={run.error}
        note="The findings are unchanged."
        busy={run.isPending}
        onRetry={() => run.mutate()}
      />
      <ErrorState what="Couldn’t stop the QA run." error={stop.error} note="It’s still running." />
    </>
  );
}
