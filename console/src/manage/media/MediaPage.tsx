import { useQueryClient } from "@tanstack/react-query";
import { type ReactElement, useEffect, useState } from "react";

import { useAddress, useSearchText } from "../address.ts";
import { Button } from "../components/Button.tsx";
import { FileButton, usePageDrop } from "../components/Dropzone.tsx";
import { EmptyState } from "../components/EmptyState.tsx";
import { ErrorState } from "../components/ErrorState.tsx";
import { Pagination } from "../components/Pagination.tsx";
import { SearchField } from "../components/SearchField.tsx";
import { Segments } from "../components/Segments.tsx";
import { Skeleton } from "../components/Skeleton.tsx";
import { UploadList } from "../components/UploadList.tsx";
import { rebuildKey } from "../rebuild/RebuildBanner.tsx";
import type { ListedMedia } from "../types.ts";
import { isSettled } from "../upload-queue.ts";
import { useUploads } from "../uploads.ts";
import { DeleteMedia } from "./DeleteMedia.tsx";
import { MediaCard } from "./MediaCard.tsx";
import { MediaViewer } from "./MediaViewer.tsx";
import { mediaListKey, perPage, useMediaList, viewOf } from "./useMedia.ts";

const kinds = [
  { value: "all", label: "All" },
  { value: "image", label: "Pictures" },
  { value: "video", label: "Films" },
] as const;

/** Uploads whose results come into the list as they are done. */
function usePageUploads() {
  const queries = useQueryClient();
  const uploads = useUploads();
  const add = (files: File[]): void => {
    uploads.add(files, {
      onDone: () => {
        void queries.invalidateQueries({ queryKey: mediaListKey });
        void queries.invalidateQueries({ queryKey: rebuildKey });
      },
    });
  };
  return { uploads, add };
}

function Uploading(props: ReturnType<typeof usePageUploads>): ReactElement | null {
  const { uploads } = props;
  const settled = uploads.items.filter(isSettled).length;
  if (uploads.items.length === 0) return null;
  return (
    <section className="uploading" aria-label="Uploads">
      <UploadList uploads={uploads} />
      {settled > 1 && <Button onClick={() => uploads.dismiss()}>Clear the finished ones</Button>}
    </section>
  );
}

/** The page of all stored pictures and films. */
export function MediaPage(): ReactElement {
  const address = useAddress();
  const view = viewOf(address);
  const media = useMediaList(view);
  const search = useSearchText(address);
  const uploading = usePageUploads();
  const over = usePageDrop(uploading.add);
  const [viewed, setViewed] = useState<ListedMedia | null>(null);
  const [asked, setAsked] = useState<ListedMedia | null>(null);
  const { data } = media;
  const { change } = address;
  const last = data ? Math.max(1, Math.ceil(data.total / perPage)) : view.page;
  useEffect(() => {
    if (view.page > last) change({ page: last === 1 ? null : last }, "replace");
  }, [view.page, last, change]);

  return (
    <div className="page">
      <div className="page-head">
        <h1>Media</h1>
        <FileButton look="primary" onFiles={uploading.add}>
          Upload files
        </FileButton>
      </div>
      <div className="filters">
        <SearchField label="Search media" search={search} />
        <Segments
          legend="Kind"
          value={view.kind ?? "all"}
          options={kinds}
          onChange={(kind) => change({ kind: kind === "all" ? null : kind, page: null })}
        />
        <p className="muted drop-hint">Files can be dropped anywhere on this page.</p>
      </div>
      <Uploading {...uploading} />
      <p className="unseen" role="status">
        {data && !media.isPlaceholderData && view.filtered && `${data.total} found`}
      </p>
      {media.isError && (
        <ErrorState
          what="The media can’t be shown."
          error={media.error}
          busy={media.isFetching}
          onRetry={() => void media.refetch()}
        />
      )}
      {media.isPending && <Skeleton count={8} shape="card" label="The media are loading…" />}
      {data?.total === 0 &&
        (view.filtered ? (
          <EmptyState
            action={
              <Button onClick={() => change({ q: null, kind: null, page: null })}>
                Show all media
              </Button>
            }
          >
            No file is like that.
          </EmptyState>
        ) : (
          <EmptyState
            action={
              <FileButton look="primary" onFiles={uploading.add}>
                Upload the first files
              </FileButton>
            }
          >
            There are no pictures or films yet.
          </EmptyState>
        ))}
      {data && data.items.length > 0 && (
        <ul
          className="media-grid results"
          aria-label="Media"
          aria-busy={media.isPlaceholderData}
          data-stale={media.isPlaceholderData}
        >
          {data.items.map((item) => (
            <li key={item.id}>
              <MediaCard item={item} onView={setViewed} onDelete={setAsked} />
            </li>
          ))}
        </ul>
      )}
      {data && (
        <Pagination
          noun="files"
          page={view.page}
          perPage={perPage}
          total={data.total}
          onPage={(page) => {
            change({ page: page === 1 ? null : page });
            scrollTo({ top: 0 });
          }}
        />
      )}
      {over && (
        <div className="drop-over" aria-hidden="true">
          <p>Drop to upload</p>
        </div>
      )}
      {viewed && <MediaViewer item={viewed} onClose={() => setViewed(null)} />}
      {asked && <DeleteMedia item={asked} onClose={() => setAsked(null)} />}
    </div>
  );
}
