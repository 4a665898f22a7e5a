import { type ReactElement, useState } from "react";

import { RunStyles } from "../RunStyles.tsx";
import { useConsoleState } from "../useConsoleState.ts";
import { taskLabel } from "./counts.ts";
import { NewTaskForm } from "./NewTaskForm.tsx";
import { TaskList } from "./TaskList.tsx";
import { type TaskPanelActions, TaskPanel } from "./TaskPanel.tsx";
import css from "./tasks-tab.css?inline";

/** The queue as it is on this page: its list, one task, or the form for a new one. */
export function TasksTab(props: TaskPanelActions): ReactElement {
  const consoleState = useConsoleState();
  const { task } = consoleState;
  // Where the focus goes in the list, and what is told there.
  const [last, setLast] = useState<number | null>(null);
  const [said, setSaid] = useState("");
  function back(id: number | null): void {
    setLast(id);
    consoleState.showTask(null);
  }
  return (
    <>
      <RunStyles />
      <style>{css}</style>
      <span className="unseen" role="status">
        {said}
      </span>
      {task === null && <TaskList last={last} />}
      {task === "new" && (
        <NewTaskForm
          onQueued={({ id }) => {
            setSaid(`${taskLabel(id)} is queued.`);
            back(id);
          }}
          onBack={() => back(null)}
        />
      )}
      {typeof task === "number" && (
        <TaskPanel key={task} id={task} {...props} onBack={() => back(task)} />
      )}
    </>
  );
}
