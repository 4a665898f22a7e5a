import type { ReactElement } from "react";

import type { TaskBoard } from "../../api/types.ts";
import { Button } from "../../ui/Button.tsx";
import { Notice } from "../../ui/Notice.tsx";
import { ErrorState } from "../errors/ErrorState.tsx";
import type { QueueActions } from "./useTaskActions.ts";

const queued = (board: TaskBoard): number =>
  board.columns.find(({ column }) => column === "queued")?.total ?? 0;

const kept = "The tasks are unchanged.";

/** Why the queue stands still: no runner, or a pause; and errors about it. */
export function QueueBanners(props: { board: TaskBoard; queue: QueueActions }): ReactElement {
  const { board } = props;
  const { pause, run } = props.queue;
  const started = run.isSuccess && board.paused;
  return (
    <>
      {board.runners === 0 && (
        <Notice kind="warn" title="No runner is active.">
          Queued tasks start once a runner is running. Start one with <code>vitrine start</code>.
        </Notice>
      )}
      {board.paused && (
        <Notice
          kind="info"
          title="The queue is paused."
          actions={
            queued(board) > 0 &&
            board.runners > 0 && (
              <Button icon="play" busy={run.isPending} onClick={() => run.mutate()}>
                Run now
              </Button>
            )
          }
        >
          {started
            ? "Running the queued tasks once. After that, no task starts automatically."
            : "No task starts automatically. Approved changes still go live."}
        </Notice>
      )}
      <ErrorState
        what={board.paused ? "Couldn’t resume the queue." : "Couldn’t pause the queue."}
        error={pause.error}
        note={kept}
      />
      <ErrorState what="Couldn’t start the queue." error={run.error} note={kept} />
    </>
  );
}
