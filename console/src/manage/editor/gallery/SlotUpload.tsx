import type { ReactElement } from "react";

import { Button } from "../../components/Button.tsx";
import { UploadProgress, uploadWords } from "../../components/UploadList.tsx";
import { isSettled } from "../../upload-queue.ts";
import type { UploadItem } from "../../uploads.ts";

/** How the upload of a place is, with Cancel or Retry. */
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
        <b>{item.name}</b> <span className="slot-state">{uploadWords(item)}</span>
      </p>
      {!settled && <UploadProgress item={item} />}
      <div className="actions">
        {settled && item.canRetry && (
          <Button icon="reload" label={`Retry ${item.name}`} onClick={props.onRetry}>
            Retry
          </Button>
        )}
        <Button
          label={`${settled ? "Give up" : "Cancel"} the upload of ${noun}`}
          onClick={props.onGiveUp}
        >
          {settled ? "Give up" : "Cancel"}
        </Button>
      </div>
    </div>
  );
}
