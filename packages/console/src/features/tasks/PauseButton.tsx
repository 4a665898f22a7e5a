import type { ReactElement } from "react";

import { Button } from "../../ui/Button.tsx";
import type { QueueActions } from "./useTaskActions.ts";

/** Pauses and resumes the queue; one button, so that it keeps the focus. */
export function PauseButton(props: { paused: boolean; queue: QueueActions }): ReactElement {
  const { paused, queue } = props;
  return (
    <Button
      busy={queue.pause.isPending}
      onClick={() => {
        queue.run.reset();
        queue.pause.mutate(!paused);
      }}
    >
      {paused ? "Resume queue" : "Pause queue"}
    </Button>
  );
}
