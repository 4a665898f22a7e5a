import { type ReactElement, useEffect, useState } from "react";

import { ApiError } from "../api.ts";
import { Button } from "../components/Button.tsx";
import { Notice } from "../components/Notice.tsx";
import { Skeleton } from "../components/Skeleton.tsx";
import { useConsole } from "../context.ts";
import { plainText } from "../plain-text.ts";
import { mostAttachments } from "./new-task.ts";
import { addressOf, type LibraryPicture, listPictures } from "./library.ts";

const perPage = 24;

/** The pictures of the library, the newest first, a page at a time. */
function usePictures() {
  const { epoch, expire } = useConsole();
  const [items, setItems] = useState<readonly LibraryPicture[] | null>(null);
  const [total, setTotal] = useState(0);
  const [page, setPage] = useState(1);
  const [error, setError] = useState<ApiError | null>(null);
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    let current = true;
    async function read(): Promise<void> {
      try {
        const found = await listPictures(fetch.bind(globalThis), page, perPage);
        if (!current) return;
        setError(null);
        setTotal(found.total);
        setItems((known) => {
          const ids = new Set(known?.map(({ id }) => id));
          return [...(known ?? []), ...found.items.filter(({ id }) => !ids.has(id))];
        });
      } catch (cause) {
        if (!current || !(cause instanceof ApiError)) return;
        if (cause.status === 401) expire();
        else setError(cause);
      }
    }
    void read();
    return () => {
      current = false;
    };
  }, [page, epoch, expire, attempt]);
  return {
    items,
    error,
    hasMore: page * perPage < total,
    more: () => setPage(page + 1),
    retry: () => setAttempt(attempt + 1),
  };
}

/** Chooses pictures that are stored already. */
export function LibraryPick(props: {
  chosen: readonly number[];
  onChoose(chosen: readonly number[]): void;
}): ReactElement {
  const { chosen, onChoose } = props;
  const { items, error, hasMore, more, retry } = usePictures();
  const full = chosen.length >= mostAttachments;
  if (error !== null) {
    return (
      <Notice error={error}>
        <Button look="small" onClick={retry}>
          Retry
        </Button>
      </Notice>
    );
  }
  if (items === null) return <Skeleton lines={2} />;
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
        {items.map((picture) => (
          <label key={picture.id} title={plainText(picture.originalName)}>
            <input
              type="checkbox"
              checked={chosen.includes(picture.id)}
              disabled={full && !chosen.includes(picture.id)}
              onChange={(event) =>
                onChoose(
                  event.target.checked
                    ? [...chosen, picture.id]
                    : chosen.filter((id) => id !== picture.id),
                )
              }
            />
            <img
              src={addressOf(picture)}
              alt={plainText(picture.alt || picture.originalName)}
              loading="lazy"
            />
          </label>
        ))}
      </div>
      {full && <p className="quiet">No more than {mostAttachments} pictures go along.</p>}
      {hasMore && (
        <Button look="small" onClick={more}>
          Show older
        </Button>
      )}
    </fieldset>
  );
}
