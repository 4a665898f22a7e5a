import type { ReactElement } from "react";

export type SaveStatus = "clean" | "changed" | "saving" | "saved" | "failed";

const statusLabels: Readonly<Record<SaveStatus, string>> = {
  clean: "",
  changed: "Unsaved changes",
  saving: "Saving…",
  saved: "Saved",
  failed: "Save failed",
};

/** The state of saving; its space is reserved while there is nothing to say. */
export function SaveState(props: { status: SaveStatus; text?: string }): ReactElement {
  return (
    <span className="save-state" data-status={props.status} role="status">
      {props.text ?? statusLabels[props.status]}
    </span>
  );
}
