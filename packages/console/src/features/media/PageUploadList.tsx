import { type ReactElement, useState } from "react";

import { Button } from "../../ui/Button.tsx";
import { formatCount, formatSize } from "../../ui/format.ts";
import type { KeptUpload } from "./kept-files.ts";
import { MediaButton } from "./Dropzone.tsx";
import { isSettled, type UploadItem } from "./upload-queue.ts";
import { UploadList } from "./UploadList.tsx";
import type { usePageUploads } from "./usePageUploads.ts";

type PageUploads = ReturnType<typeof usePageUploads>;

/** An interrupted upload, which continues once the owner has chosen its file again. */
function Interrupted(props: { upload: KeptUpload; uploads: PageUploads }): ReactElement {
  const { upload, uploads } = props;
  const [isOther, setOther] = useState(false);
  return (
    <li className="upload" data-status={isOther ? "failed" : "queued"}>
      <div className="upload-words">
        <b>{upload.name}</b>
        <span className="muted">{formatSize(upload.size)}</span>
        <span className="upload-state" role="status">
          {isOther
            ? "This is a different file. Choose the one that you uploaded before."
            : "The upload was interrupted. Choose the same file again to continue it."}
        </span>
      </div>
      <div className="actions">
        <MediaButton
          multiple={false}
          label={`Choose file for ${upload.name}`}
          onFiles={([file]) => setOther(!file || !uploads.supply(upload.id, file))}
        >
          Choose file
        </MediaButton>
        <Button
          variant="bare"
          icon="cross"
          label={`Remove ${upload.name} from this list`}
          onClick={() => uploads.forget(upload.id)}
        />
      </div>
    </li>
  );
}

/** Whether an upload's only news is that it is stored. */
const isQuiet = ({ status, note }: UploadItem): boolean => status === "done" && note === null;

/** The uploads of the admin pages: stored files are only counted, so that they aren't in the way. */
export function PageUploadList({ uploads }: { uploads: PageUploads }): ReactElement | null {
  const { items, waiting } = uploads;
  const listed = items.filter((item) => !isQuiet(item));
  const stored = items.length - listed.length;
  if (items.length + waiting.length === 0) return null;
  return (
    <section className="uploading" aria-label="Uploads">
      {waiting.length > 0 && (
        <ul className="uploads" aria-label="Interrupted uploads">
          {waiting.map((upload) => (
            <Interrupted key={upload.id} upload={upload} uploads={uploads} />
          ))}
        </ul>
      )}
      <UploadList uploads={{ ...uploads, items: listed }} />
      {items.some(isSettled) && (
        <div className="uploads-finished">
          {stored > 0 && <p className="muted">{formatCount(stored, "file")} uploaded</p>}
          <Button onClick={() => uploads.dismiss()}>Clear finished</Button>
        </div>
      )}
    </section>
  );
}
