import { type ReactElement, type ReactNode, type RefObject, useEffect, useRef } from "react";

import { useFocusHandover } from "./focus.ts";

export interface NoticeProps {
  kind: "error" | "warn" | "info";
  title?: ReactNode;
  children?: ReactNode;
  /** Buttons below the text. */
  actions?: ReactNode;
  /** Not announced automatically: for notices that are there from the start. */
  quiet?: boolean;
}

/** In a dialog with a long form, the error at its end may be out of sight. */
function useScrollIntoView(part: RefObject<HTMLElement | null>, wanted: boolean): void {
  useEffect(() => {
    if (wanted && part.current?.closest("dialog"))
      part.current.scrollIntoView({ block: "nearest" });
  }, [part, wanted]);
}

/** A message: errors are announced immediately, others politely. */
export function Notice(props: NoticeProps): ReactElement {
  const role = props.kind === "error" ? "alert" : "status";
  const part = useRef<HTMLDivElement>(null);
  useFocusHandover(part);
  useScrollIntoView(part, props.kind === "error" && !props.quiet);
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
