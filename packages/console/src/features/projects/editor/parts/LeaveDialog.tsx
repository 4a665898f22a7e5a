import { type ReactElement, useState } from "react";

import { Button } from "../../../../ui/Button.tsx";
import { Dialog } from "../../../../ui/Dialog.tsx";
import type { Gallery } from "../gallery/useGallery.ts";
import type { LeaveGuard } from "../useLeaveGuard.ts";

/** Asks before a link leads away from unsaved changes. */
export function LeaveDialog(props: {
  guard: LeaveGuard;
  /** Resolves with whether everything is saved; undefined if it can't be saved from here. */
  onSave?(): Promise<boolean>;
  gallery: Pick<Gallery, "uploads" | "failed">;
}): ReactElement | null {
  const { guard, onSave } = props;
  const { uploads, failed } = props.gallery;
  const [busy, setBusy] = useState(false);
  if (guard.wanted === null) return null;
  async function saveAndLeave(save: () => Promise<boolean>): Promise<void> {
    setBusy(true);
    const saved = await save();
    setBusy(false);
    if (saved) guard.leave();
    else guard.stay();
  }
  return (
    <Dialog
      alert
      title="Leave without saving?"
      onClose={guard.stay}
      actions={
        <>
          <Button onClick={guard.stay}>Stay</Button>
          <Button variant="danger" onClick={guard.leave}>
            Leave
          </Button>
          {onSave && !uploads.busy && (
            <Button variant="primary" busy={busy} onClick={() => void saveAndLeave(onSave)}>
              Save and leave
            </Button>
          )}
        </>
      }
    >
      <p>
        Your changes are kept in this browser, and you can restore them when you return.
        {uploads.busy &&
          " Uploads continue, and the files are in the gallery when you open the project again."}
        {failed > 0 && " Choose files that failed to upload again."}
      </p>
    </Dialog>
  );
}
