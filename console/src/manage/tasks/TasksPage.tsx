import type { ReactElement } from "react";

/** The page of the design tasks. */
export function TasksPage(): ReactElement {
  return (
    <div className="page">
      <div className="page-head">
        <h1>Tasks</h1>
      </div>
    </div>
  );
}
