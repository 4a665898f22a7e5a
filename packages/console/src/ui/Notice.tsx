import { type ReactElement, type ReactNode, type RefObject, useEffect, useRef } from "react";

import { useFocusHandover } from "./focus.ts";

export interface NoticeProps {
  kind: "error" | "warn" | "info";
  title?: ReactNode;
  children?: ReactNode;
  /** Buttons below the words. */
  actions?: ReactNode;
  /** Not read aloud by itself: for what is there from the start. */
  quiet?: boolean;
}

/** What went wrong with a long form in a dialog is said at its end, which may be out of sight. */
function useScrollIntoView(part: RefObject<HTMLElement | null>, wanted: boolean): void {
  useEffect(() => {
    if (wanted && part.current?.closest("dialog"))
      part.current.scrollIntoView({ block: "nearest" });
  }, [part, wanted]);
}

/** Words about how things are: an error is read at once, the rest when there is time. */
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
