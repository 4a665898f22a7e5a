import { type ReactElement, type ReactNode, useRef } from "react";

import { useFocusHandover } from "./focus.ts";

/**
 * An empty state: one sentence and one action. If there is nothing at all, the page's header and
 * filters omit that action, but not if filters exclude everything (`filtered`).
 */
export function EmptyState(props: {
  children: ReactNode;
  action?: ReactNode;
  filtered?: boolean;
}): ReactElement {
  const part = useRef<HTMLDivElement>(null);
  useFocusHandover(part);
  return (
    <div ref={part} className="empty" data-filtered={props.filtered || undefined}>
      <p>{props.children}</p>
      {props.action}
    </div>
  );
}
