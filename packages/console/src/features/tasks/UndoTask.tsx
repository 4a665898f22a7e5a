import { type ReactElement, useState } from "react";

import { useAction } from "../../api/useAction.ts";
import { Button } from "../../ui/Button.tsx";
import { Notice } from "../../ui/Notice.tsx";
import { RefusalNotice } from "../errors/RefusalNotice.tsx";
import { ConfirmRestore } from "../runs/ConfirmRestore.tsx";
import { firstLine, isActive } from "../runs/labels.ts";
import { useRunsApi } from "../runs/runs-api.ts";
import { useRun } from "../runs/useRun.ts";

/** The progress of the run that undoes a task's change. */
function UndoProgress({ runId }: { runId: string }): ReactElement {
  const { view } = useRun(runId);
  if (view.status === "published") {
    return <Notice kind="info">The change is undone.</Notice>;
  }
  if (view.status === null || isActive(view.status)) {
    return <Notice kind="info">Undoing the change…</Notice>;
  }
  return (
    <Notice kind="error" title="Couldn’t undo the change">
      {firstLine(view.error ?? "") || "See its run for the reason."}
    </Notice>
  );
}

/** Undoes what a task has published, after asking for confirmation; later changes stay. */
export function UndoTask(props: {
  /** The published run. */
  runId: string;
  /** Shows the run that undoes it elsewhere; by default, its progress is shown here. */
  onRun?: ((runId: string) => void) | undefined;
}): ReactElement {
  const api = useRunsApi();
  const action = useAction();
  const [isAsking, setAsking] = useState(false);
  const [undoing, setUndoing] = useState<string | null>(null);
  function undo(): void {
    setAsking(false);
    action.perform("undo", async () => {
      const started = await api.restore(props.runId, "undo");
      if (props.onRun) props.onRun(started);
      else setUndoing(started);
    });
  }
  return (
    <>
      {action.error && <RefusalNotice error={action.error} note="The site is unchanged." />}
      {undoing !== null && <UndoProgress runId={undoing} />}
      {undoing === null && (
        <Button busy={action.pending !== null} onClick={() => setAsking(true)}>
          Undo
        </Button>
      )}
      {isAsking && (
        <ConfirmRestore mode="undo" since={0} onYes={undo} onNo={() => setAsking(false)} />
      )}
    </>
  );
}
