import { type ReactElement, useEffect, useRef } from "react";

import type { Folds } from "../../ui/Disclosure.tsx";
import type { Task } from "../../api/types.ts";
import { taskLabel } from "../../features/tasks/counts.ts";
import { TaskView } from "../../features/tasks/TaskView.tsx";
import { useBoard } from "../../features/tasks/useBoard.ts";
import { useTask } from "../../features/tasks/useTask.ts";
import { Button } from "../../ui/Button.tsx";
import type { CurrentRun } from "../RunPanel.tsx";
import { useConsoleState } from "../useConsoleState.ts";
import { tabPace } from "./tab-pace.ts";

/** What a task needs from the place where it is shown. */
export interface TaskPanelActions {
  diffs: Folds;
  /** Called with the viewed run; null if there is none. */
  onRun(run: CurrentRun | null): void;
  onPreview(): void;
}

/** Previews the task's own run while it waits for the owner. */
function useShowRun(task: Task | undefined, onRun: TaskPanelActions["onRun"]): void {
  const run = task?.status === "needs_review" ? task.run : null;
  const runId = run?.id ?? null;
  const previewUrl = run?.previewUrl ?? null;
  const pageUrl = task?.pageUrl ?? null;
  useEffect(() => {
    if (runId === null) return onRun(null);
    const ready = { mode: "build", status: "preview_ready", isWatched: false } as const;
    onRun({ ...ready, runId, previewUrl, pageUrl, readsMessages: true });
    return () => onRun(null);
  }, [onRun, runId, previewUrl, pageUrl]);
}

/** A task, replacing the list. */
export function TaskPanel(props: TaskPanelActions & { id: number; onBack(): void }): ReactElement {
  const { id } = props;
  const { data: board } = useBoard(tabPace);
  const { showRun } = useConsoleState();
  const refresh = useTask(id);
  const back = useRef<HTMLButtonElement>(null);
  // The pressed button is gone, so the focus moves to the Back button.
  useEffect(() => back.current?.focus(), []);
  useShowRun(refresh.data, props.onRun);
  return (
    <div className="task-panel">
      <TaskView
        id={id}
        board={board}
        look={refresh}
        diffs={props.diffs}
        head={(title) => (
          <>
            <div className="back row">
              <Button ref={back} variant="small" onClick={props.onBack}>
                Back to tasks
              </Button>
              <a href={`/admin/tasks?task=${id}`}>Open on the board</a>
            </div>
            <h3 dir="auto">
              <span className="muted">{taskLabel(id)}</span> {title}
            </h3>
          </>
        )}
        onPreview={props.onPreview}
        onRun={showRun}
      />
    </div>
  );
}
