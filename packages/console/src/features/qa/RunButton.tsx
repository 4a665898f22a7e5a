import type { ReactElement } from "react";

import { refusalOf } from "../../api/useAction.ts";
import { Button } from "../../ui/Button.tsx";
import { Notice } from "../../ui/Notice.tsx";
import type { QaRunActions } from "./useQaRun.ts";

/** Begins a pass, or ends the one that runs; one button, so that the focus stays on it. */
export function RunButton({ pass }: { pass: QaRunActions }): ReactElement {
  const { running, run, stop } = pass;
  if (!running) {
    return (
      <Button look="primary" icon="play" busy={run.isPending} onClick={() => run.mutate()}>
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

/** What is refused about a pass. */
export function RunError({ pass }: { pass: QaRunActions }): ReactElement | null {
  const { run, stop } = pass;
  const refused = refusalOf(run.error);
  if (refused) {
    return (
      <Notice
        kind="error"
        title="The pass was not begun."
        actions={
          <Button icon="reload" busy={run.isPending} onClick={() => run.mutate()}>
            Retry
          </Button>
        }
      >
        {`${refused.message} The findings are as they were.`}
      </Notice>
    );
  }
  const kept = refusalOf(stop.error);
  if (!kept) return null;
  return (
    <Notice kind="error" title="The pass was not stopped.">
      {`${kept.message} It goes on.`}
    </Notice>
  );
}
