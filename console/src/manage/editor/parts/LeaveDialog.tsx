import { type ReactElement, useState } from "react";

import { Button } from "../../components/Button.tsx";
import { Dialog } from "../../components/Dialog.tsx";
import type { LeaveGuard } from "../useLeaveGuard.ts";

/** Asks before a link leads away from unsaved changes. */
export function LeaveDialog(props: {
  guard: LeaveGuard;
  /** Resolves with whether everything is saved; where it can't be saved from here, there is none. */
  onSave?(): Promise<boolean>;
  uploading: boolean;
}): ReactElement | null {
  const { guard, onSave } = props;
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
      title={props.uploading ? "Leave while files are uploading?" : "Leave without saving?"}
      onClose={guard.stay}
      actions={
        <>
          <Button onClick={guard.stay}>Stay</Button>
          <Button look="danger" onClick={guard.leave}>
            Leave
          </Button>
          {onSave && !props.uploading && (
            <Button look="primary" busy={busy} onClick={() => void saveAndLeave(onSave)}>
              Save and leave
            </Button>
          )}
        </>
      }
    >
      <p>
        {props.uploading
          ? "Uploads that are not done end when you leave."
          : "Your changes stay in this browser and are offered when you come back."}
      </p>
    </Dialog>
  );
}
