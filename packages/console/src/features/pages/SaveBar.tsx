import type { ReactElement } from "react";

import { Button } from "../../ui/Button.tsx";

/** What can be done with the unsaved changes. */
export function SaveBar(props: {
  isBuilding: boolean;
  onDiscard(): void;
  onSave(): void;
}): ReactElement {
  const { isBuilding } = props;
  return (
    <div className="pages-bar">
      <span role="status">{isBuilding ? "Building a preview…" : "Unsaved changes"}</span>
      <div className="actions">
        <Button disabled={isBuilding} onClick={props.onDiscard}>
          Discard changes
        </Button>
        <Button variant="primary" busy={isBuilding} onClick={props.onSave}>
          Build preview
        </Button>
      </div>
    </div>
  );
}
