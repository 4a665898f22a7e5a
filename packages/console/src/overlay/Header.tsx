import type { ReactElement } from "react";

import { pageName } from "../features/runs/labels.ts";
import { Icon } from "../ui/Icon.tsx";

/** Which page the console speaks of, help, and the way out. */
export function Header(props: { path: string; onHelp(): void; onClose(): void }): ReactElement {
  return (
    <header>
      <h2>Console</h2>
      <span className="where">
        <span className="unseen">on </span>
        {pageName(props.path)}
      </span>
      <button type="button" className="button bare" onClick={props.onHelp}>
        <Icon name="help" />
        <span className="unseen">Keys</span>
      </button>
      <button type="button" className="button" onClick={props.onClose}>
        <Icon name="cross" />
        <span className="unseen">Close the console</span>
      </button>
    </header>
  );
}
