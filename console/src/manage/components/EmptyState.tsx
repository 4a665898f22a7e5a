import type { ReactElement, ReactNode } from "react";

/** Where nothing is: one sentence and one action. */
export function EmptyState(props: { children: ReactNode; action?: ReactNode }): ReactElement {
  return (
    <div className="empty">
      <p>{props.children}</p>
      {props.action}
    </div>
  );
}
