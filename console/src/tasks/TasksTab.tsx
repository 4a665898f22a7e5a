import { type ReactElement, useState } from "react";

import { RunStyles } from "../components/RunStyles.tsx";
import { useDesk } from "../hooks/useDesk.ts";
import css from "../styles/dock-tasks.css?inline";
import { NewTaskForm } from "./NewTaskForm.tsx";
import { TaskList } from "./TaskList.tsx";
import { type TaskPlaceProps, TaskPanel } from "./TaskPanel.tsx";
import { taskName } from "./counts.ts";

/** The queue as it is on this page: its list, one task, or the form for a new one. */
export function TasksTab(props: TaskPlaceProps): ReactElement {
  const desk = useDesk();
  const { task } = desk;
  // Where the focus goes in the list, and what is told there.
  const [last, setLast] = useState<number | null>(null);
  const [said, setSaid] = useState("");
  function back(id: number | null): void {
    setLast(id);
    desk.showTask(null);
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
            setSaid(`${taskName(id)} is queued.`);
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
