import { type ReactElement, type ReactNode, useRef } from "react";

import { useFocusHandover } from "./focus.ts";

/** The pages that others lie below. */
const above = {
  projects: ["/admin/projects", "Projects"],
  members: ["/admin/members", "Members"],
  settings: ["/admin/settings#access", "Settings"],
} as const;

/** The head of every page: the way back, its heading, what can be done with all of it, what it is. */
export function PageHeader(props: {
  title: ReactNode;
  /** The page that this one lies below. */
  below?: keyof typeof above;
  /** Buttons and links for the whole page, the weightiest last. */
  children?: ReactNode;
  /** What the page is about, in a sentence or two. */
  lead?: ReactNode;
}): ReactElement {
  const part = useRef<HTMLElement>(null);
  useFocusHandover(part);
  const [address, name] = props.below ? above[props.below] : [];
  return (
    <header ref={part} className="page-head">
      {address && (
        <p className="crumb">
          <a href={address}>{name}</a>
        </p>
      )}
      <h1>{props.title}</h1>
      {props.children && <div className="actions">{props.children}</div>}
      {props.lead && <p className="lead">{props.lead}</p>}
    </header>
  );
}
