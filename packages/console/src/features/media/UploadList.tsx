import type { ReactElement } from "react";

import { Button } from "../../ui/Button.tsx";
import { formatSize } from "../../ui/format.ts";
import { isSettled, type UploadItem } from "./upload-queue.ts";
import type { Uploads } from "./usePageUploads.ts";

/** The status of an upload as a text. */
export function uploadLabels(item: UploadItem): string {
  const percent = item.fraction === null ? "" : ` ${Math.floor(item.fraction * 100)}%`;
  const words = {
    queued: item.note ?? "Waiting",
    sending: item.note ?? `Sending${percent}`,
    working: `Preparing${percent}`,
    done: item.note ?? "Done",
    failed: item.error ?? "Failed",
    cancelled: "Cancelled",
  };
  return words[item.status];
}

/** An upload's progress; it is static until the server reports progress. */
export function UploadProgress(props: { item: UploadItem; hidden?: boolean }): ReactElement {
  const { item, hidden = false } = props;
  const value = item.status === "queued" ? 0 : item.fraction;
  return (
    <progress
      className="upload-progress"
      aria-label={`Upload of ${item.name}`}
      max={1}
      hidden={hidden}
      {...(value !== null && { value })}
    />
  );
}

type UploadActions = Pick<Uploads, "retry" | "cancel" | "dismiss">;

function UploadRow(props: { item: UploadItem; uploads: UploadActions }): ReactElement {
  const { item, uploads } = props;
  const settled = isSettled(item);
  const retry = item.status === "cancelled" || (item.status === "failed" && item.canRetry);
  return (
    <li className="upload" data-status={item.status}>
      <div className="upload-words">
        <b>{item.name}</b>
        <span className="muted">{formatSize(item.size)}</span>
        <span className="upload-state">{uploadLabels(item)}</span>
      </div>
      <UploadProgress item={item} hidden={settled} />
      <div className="actions">
        {retry && (
          <Button
            icon="reload"
            label={`Retry ${item.name}`}
            onClick={() => uploads.retry(item.key)}
          >
            Retry
          </Button>
        )}
        {settled ? (
          <Button
            variant="bare"
            icon="cross"
            label={`Remove ${item.name} from this list`}
            onClick={() => uploads.dismiss([item.key])}
          />
        ) : (
          <Button label={`Cancel ${item.name}`} onClick={() => uploads.cancel(item.key)}>
            Cancel
          </Button>
        )}
      </div>
    </li>
  );
}

/** Running uploads with progress and Cancel or Retry; nothing without any. */
export function UploadList({
  uploads,
}: {
  uploads: UploadActions & Pick<Uploads, "items">;
}): ReactElement | null {
  if (uploads.items.length === 0) return null;
  return (
    <ul className="uploads" aria-label="Uploads">
      {uploads.items.map((item) => (
        <UploadRow key={item.key} item={item} uploads={uploads} />
      ))}
    </ul>
  );
}
