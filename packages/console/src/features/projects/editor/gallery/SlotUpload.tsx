import type { ReactElement } from "react";

import { Button } from "../../../../ui/Button.tsx";
import { isSettled, type UploadItem } from "../../../media/upload-queue.ts";
import { UploadProgress, uploadLabels } from "../../../media/UploadList.tsx";

/** The upload of a place, with Cancel or Retry. */
export function SlotUpload(props: {
  item: UploadItem;
  noun: string;
  onRetry(): void;
  onGiveUp(): void;
}): ReactElement {
  const { item, noun } = props;
  const settled = isSettled(item);
  return (
    <div className="slot-upload" data-status={item.status}>
      <p>
        <b>{item.name}</b> <span className="slot-state">{uploadLabels(item)}</span>
      </p>
      {!settled && <UploadProgress item={item} />}
      <div className="actions">
        {settled && item.canRetry && (
          <Button icon="reload" label={`Retry ${item.name}`} onClick={props.onRetry}>
            Retry
          </Button>
        )}
        <Button
          label={`${settled ? "Remove" : "Cancel"} the upload of ${noun}`}
          onClick={props.onGiveUp}
        >
          {settled ? "Remove" : "Cancel"}
        </Button>
      </div>
    </div>
  );
}
