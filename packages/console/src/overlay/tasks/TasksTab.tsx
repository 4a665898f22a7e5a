import { type ReactElement, useState } from "react";

import { usePagePath } from "../../api/context.tsx";
import { lazyComponent } from "../../ui/lazy-component.tsx";
import { Skeleton } from "../../ui/Skeleton.tsx";
import { TabStyles } from "../TabStyles.tsx";
import { useConsoleState } from "../useConsoleState.ts";
import { TaskList } from "./TaskList.tsx";
import type { TaskPanelActions } from "./TaskPanel.tsx";
import css from "./tasks-tab.css?inline";

const TaskPanel = lazyComponent(
  async () => (await import("./TaskPanel.tsx")).TaskPanel,
  <Skeleton count={6} shape="line" />,
);
const NewTask = lazyComponent(
  async () => (await import("../../features/tasks/NewTask.tsx")).NewTask,
);

/** The queue on this page: its list, a task, or the form for a new one over the list. */
export function TasksTab(props: TaskPanelActions): ReactElement {
  const { task, showTask } = useConsoleState();
  const path = usePagePath();
  // What gets the focus in the list.
  const [last, setLast] = useState<number | null>(null);
  function back(id: number): void {
    setLast(id);
    showTask(null);
  }
  return (
    <>
      <TabStyles css={css} />
      {typeof task === "number" ? (
        <TaskPanel key={task} id={task} {...props} onBack={() => back(task)} />
      ) : (
        <TaskList key={last} last={last} />
      )}
      {task === "new" && (
        <NewTask page={path} onClose={() => showTask(null)} onCreated={(id) => back(id)} />
      )}
    </>
  );
}
