import { type ReactElement, useCallback } from "react";

import { useClient } from "../../api/context.tsx";
import { usePages } from "../../api/usePages.ts";
import { RefusalNotice } from "../../features/shared/RefusalNotice.tsx";
import { Button } from "../../ui/Button.tsx";
import { plainText } from "../../ui/plain-text.ts";
import { Skeleton } from "../../ui/Skeleton.tsx";
import { imageUrl, listImages } from "./library.ts";
import { maxAttachments } from "./task-draft.ts";

const perPage = 24;

/** The pictures of the library, the newest first, a page at a time. */
function useLibraryImages() {
  const client = useClient();
  const load = useCallback((page: number) => listImages(client, page, perPage), [client]);
  return usePages(load, perPage);
}

/** Chooses pictures that are stored already. */
export function LibraryPicker(props: {
  chosen: readonly number[];
  onChoose(chosen: readonly number[]): void;
}): ReactElement {
  const { chosen, onChoose } = props;
  const { items, error, hasMore, more, reload } = useLibraryImages();
  const full = chosen.length >= maxAttachments;
  if (error !== null) {
    return (
      <RefusalNotice error={error}>
        <Button variant="small" onClick={reload}>
          Retry
        </Button>
      </RefusalNotice>
    );
  }
  if (items === null) return <Skeleton count={2} shape="line" />;
  if (items.length === 0) {
    return (
      <p className="quiet">
        The library has no pictures yet. <a href="/admin/media">Open the library</a>
      </p>
    );
  }
  return (
    <fieldset className="library">
      <legend className="unseen">Pictures</legend>
      <div>
        {items.map((image) => (
          <label key={image.id} title={plainText(image.originalName)}>
            <input
              type="checkbox"
              checked={chosen.includes(image.id)}
              disabled={full && !chosen.includes(image.id)}
              onChange={(event) =>
                onChoose(
                  event.target.checked
                    ? [...chosen, image.id]
                    : chosen.filter((id) => id !== image.id),
                )
              }
            />
            <img
              src={imageUrl(image)}
              alt={plainText(image.alt || image.originalName)}
              loading="lazy"
            />
          </label>
        ))}
      </div>
      {full && <p className="quiet">No more than {maxAttachments} pictures go along.</p>}
      {hasMore && (
        <Button variant="small" onClick={more}>
          Show older
        </Button>
      )}
    </fieldset>
  );
}
