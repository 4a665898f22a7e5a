import type { ReactElement } from "react";

import { pageName } from "../features/runs/labels.ts";
import { Button } from "../ui/Button.tsx";

/** The current page, help, and the close button. */
export function Header(props: { path: string; onHelp(): void; onClose(): void }): ReactElement {
  return (
    <header>
      <h2>Console</h2>
      <span className="where">
        <span className="unseen">on </span>
        {pageName(props.path)}
      </span>
      <Button variant="bare" icon="help" label="Keyboard shortcuts" onClick={props.onHelp} />
      <Button icon="cross" label="Close the console" onClick={props.onClose} />
    </header>
  );
}
