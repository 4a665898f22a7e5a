import type { ReactElement } from "react";

import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx";
import { formatCount } from "../../ui/format.ts";

/** `undo` undoes one change; `version` restores the site to its state after that change. */
export type RestoreMode = "undo" | "version";

function laterOnes(since: number): string {
  if (since === 0) return "Later changes will be undone.";
  return `${formatCount(since, "later change")} will be undone.`;
}

/** Explains what restoring means before doing it. */
export function ConfirmRestore(props: {
  mode: RestoreMode;
  /** The number of changes published since. */
  since: number;
  onYes(): void;
  onNo(): void;
}): ReactElement {
  const { mode, since, ...rest } = props;
  const undo = mode === "undo";
  return (
    <ConfirmDialog
      {...rest}
      question={undo ? "Undo only this change?" : "Restore the site to this version?"}
      yes={undo ? "Undo this change" : "Restore this version"}
      no="Cancel"
    >
      <p>
        {undo
          ? "Later changes stay. If one of them touches the same lines, nothing is changed, and you’ll see why. "
          : `${laterOnes(since)} Records and media stay as they are. `}
        This is published immediately as a new change, which you can undo the same way.
      </p>
    </ConfirmDialog>
  );
}
