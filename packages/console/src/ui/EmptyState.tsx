import { type ReactElement, type ReactNode, useRef } from "react";

import { useFocusHandover } from "./focus.ts";

/**
 * Where nothing is: one sentence and one action. Where there is nothing at all, the page's head and
 * filters leave that action alone; not so where a filter leaves everything out (`filtered`).
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
