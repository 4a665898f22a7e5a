import { type ReactElement, useState } from "react";

import { Button } from "../../../../ui/Button.tsx";
import { Dialog } from "../../../../ui/Dialog.tsx";
import type { Gallery } from "../gallery/useGallery.ts";
import type { LeaveGuard } from "../useLeaveGuard.ts";

/** Asks before a link leads away from unsaved changes. */
export function LeaveDialog(props: {
  guard: LeaveGuard;
  /** Resolves with whether everything is saved; where it can't be saved from here, there is none. */
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
      title={uploads.busy ? "Leave while files are uploading?" : "Leave without saving?"}
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
        {uploads.busy
          ? "Uploads that are not done end when you leave."
          : "Your changes stay in this browser and are offered when you come back."}
        {failed > 0 && " What failed to upload has to be chosen again."}
      </p>
    </Dialog>
  );
}
