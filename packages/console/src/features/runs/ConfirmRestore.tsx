import type { ReactElement } from "react";

import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx";
import { formatCount } from "../../ui/format.ts";

/** `undo` takes one change back; `version` brings the site back to how it was after that change. */
export type RestoreMode = "undo" | "version";

function laterOnes(since: number): string {
  if (since === 0) return "What was changed since is taken back.";
  return `${formatCount(since, "change")} published since ${since === 1 ? "is" : "are"} taken back.`;
}

/** Says once what going back means, before it is done. */
export function ConfirmRestore(props: {
  mode: RestoreMode;
  /** How many changes were published since. */
  since: number;
  onYes(): void;
  onNo(): void;
}): ReactElement {
  const { mode, since, ...rest } = props;
  const undo = mode === "undo";
  return (
    <ConfirmDialog
      {...rest}
      question={
        undo ? "Undo only this change?" : "Bring the site back to how it was after this change?"
      }
      yes={undo ? "Undo this change" : "Restore this version"}
      no="Keep the site"
    >
      <p>
        {undo
          ? "All later changes stay; where they touch the same lines you are told, and nothing happens. "
          : `${laterOnes(since)} Records and media stay as they are. `}
        That is a new change, published at once; it can be taken back the same way.
      </p>
    </ConfirmDialog>
  );
}
