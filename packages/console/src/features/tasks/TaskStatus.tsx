import type { ReactElement } from "react";

import type { Task } from "../../api/types.ts";
import { Icon } from "../../ui/Icon.tsx";
import { taskStatusOf } from "./summary-labels.ts";

/** A task's state as a word with an icon. */
export function TaskStatus({ task }: { task: Task }): ReactElement {
  const { label, icon, variant } = taskStatusOf(task);
  return (
    <b className={`task-status word ${variant}`}>
      {icon === null ? <span className="spinner" /> : <Icon name={icon} />} {label}
    </b>
  );
}
