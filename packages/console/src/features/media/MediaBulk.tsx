import { type ReactElement, useState } from "react";

import type { ListedMedia } from "../../api/types.ts";
import { Button } from "../../ui/Button.tsx";
import { focusHeading } from "../../ui/focus.ts";
import { formatCount } from "../../ui/format.ts";
import { DeleteSeveral } from "./DeleteSeveral.tsx";
import { DescribeSeveral } from "./DescribeSeveral.tsx";
import type { MediaSelection } from "./useMediaSelection.ts";

/** Actions for all selected files; stays visible while scrolling. */
export function MediaBulk(props: {
  selection: MediaSelection;
  shown: readonly ListedMedia[];
}): ReactElement | null {
  const { selection, shown } = props;
  const { items } = selection;
  // The dialogs keep their files when the list changes, such as after a deletion.
  const [open, setOpen] = useState<{
    action: "describe" | "delete";
    items: readonly ListedMedia[];
  } | null>(null);
  const close = (): void => setOpen(null);
  const done = (): void => {
    close();
    selection.clear();
    focusHeading();
  };
  return (
    <>
      {items.length > 0 && (
        <div className="bulk" role="region" aria-label="Selected files">
          <p>
            <b>{formatCount(items.length, "file")}</b> selected
          </p>
          <div className="actions">
            <Button onClick={() => setOpen({ action: "describe", items })}>Edit alt text</Button>
            <Button variant="danger" onClick={() => setOpen({ action: "delete", items })}>
              Delete
            </Button>
            {items.length < shown.length && (
              <Button variant="bare" onClick={selection.selectAll}>
                Select all {shown.length} on this page
              </Button>
            )}
            <Button variant="bare" onClick={done}>
              Clear selection
            </Button>
          </div>
        </div>
      )}
      {open?.action === "describe" && (
        <DescribeSeveral items={open.items} onDone={done} onClose={close} />
      )}
      {open?.action === "delete" && (
        <DeleteSeveral items={open.items} onDone={done} onClose={close} />
      )}
    </>
  );
}
