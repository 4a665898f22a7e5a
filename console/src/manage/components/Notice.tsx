import { type ReactElement, type ReactNode, useRef } from "react";

import { useFocusHandedOn } from "./focus.ts";

export interface NoticeProps {
  kind: "error" | "warn" | "info";
  title?: ReactNode;
  children?: ReactNode;
  /** Buttons below the words. */
  actions?: ReactNode;
  /** Not read aloud by itself: for what is there from the start. */
  quiet?: boolean;
}

/** Words about how things are: an error is read at once, the rest when there is time. */
export function Notice(props: NoticeProps): ReactElement {
  const role = props.kind === "error" ? "alert" : "status";
  const part = useRef<HTMLDivElement>(null);
  useFocusHandedOn(part);
  return (
    <div ref={part} className={`notice ${props.kind}`} role={props.quiet ? undefined : role}>
      <div className="notice-words">
        {props.title && <p className="notice-title">{props.title}</p>}
        {typeof props.children === "string" ? <p>{props.children}</p> : props.children}
      </div>
      {props.actions && <div className="actions">{props.actions}</div>}
    </div>
  );
}
