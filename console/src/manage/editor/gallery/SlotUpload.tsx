import type { ReactElement } from "react";

import { Button } from "../../components/Button.tsx";
import type { UploadItem } from "../../uploads.ts";

function stateWords(item: UploadItem): string {
  const percent = item.fraction === null ? "" : ` ${Math.floor(item.fraction * 100)} %`;
  const words = {
    queued: item.note ?? "Waiting",
    sending: `Sending${percent}`,
    working: `Preparing${percent}`,
    done: "Done",
    failed: item.error ?? "Failed",
    cancelled: "Cancelled",
  };
  return words[item.status];
}

/** How the upload of a place is, with Cancel or Retry. */
export function SlotUpload(props: {
  item: UploadItem;
  noun: string;
  onRetry(): void;
  onGiveUp(): void;
}): ReactElement {
  const { item, noun } = props;
  const underWay = item.status === "sending" || item.status === "working";
  const settled = !underWay && item.status !== "queued";
  return (
    <div className="slot-upload" data-status={item.status}>
      <p>
        <b>{item.name}</b> <span className="slot-state">{stateWords(item)}</span>
      </p>
      {!settled && (
        <progress
          aria-label={`Upload of ${item.name}`}
          max={1}
          {...(item.status === "queued" ? { value: 0 } : {})}
          {...(underWay && item.fraction !== null ? { value: item.fraction } : {})}
        />
      )}
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
