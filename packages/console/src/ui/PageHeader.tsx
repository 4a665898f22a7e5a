import { type ReactElement, type ReactNode, useRef } from "react";

import { useFocusHandover } from "./focus.ts";

/** Parent pages. */
const above = {
  projects: ["/admin/projects", "Projects"],
  members: ["/admin/members", "Members"],
  settings: ["/admin/settings#access", "Settings"],
  sites: ["/admin/sites", "Sites"],
} as const;

/** The header of every page: the link back, its heading, its actions, and its description. */
export function PageHeader(props: {
  title: ReactNode;
  /** The parent page. */
  below?: keyof typeof above;
  /** Buttons and links for the whole page, most important last. */
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
