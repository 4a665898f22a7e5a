import type { ReactElement } from "react";

import type { TaskBoard } from "../../api/types.ts";
import { refusalOf } from "../../api/useAction.ts";
import { Button } from "../../ui/Button.tsx";
import { Notice } from "../../ui/Notice.tsx";
import type { QueueActions } from "./useTaskActions.ts";

const queued = (board: TaskBoard): number =>
  board.columns.find(({ column }) => column === "queued")?.total ?? 0;

function Refused(props: { title: string; error: unknown }): ReactElement | null {
  const refusal = refusalOf(props.error);
  if (refusal === null) return null;
  return (
    <Notice kind="error" title={props.title}>
      {`${refusal.message} The tasks are as they were.`}
    </Notice>
  );
}

/** What keeps the queue as a whole: nobody who works, or a pause; and what was refused about it. */
export function QueueBanners(props: { board: TaskBoard; queue: QueueActions }): ReactElement {
  const { board } = props;
  const { pause, run } = props.queue;
  const started = run.isSuccess && board.paused;
  return (
    <>
      {board.runners === 0 && (
        <Notice kind="warn" title="No runner is alive.">
          Nothing is taken up until the runner runs. Start it with <code>vitrine start</code>; what
          is queued is kept.
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
            ? "What is queued is worked off this once; then nothing is taken up by itself."
            : "Nothing is taken up by itself. What you have approved still goes live."}
        </Notice>
      )}
      {pause.isError && (
        <Refused
          title={board.paused ? "The queue was not resumed." : "The queue was not paused."}
          error={pause.error}
        />
      )}
      {run.isError && <Refused title="The queue was not started." error={run.error} />}
    </>
  );
}
