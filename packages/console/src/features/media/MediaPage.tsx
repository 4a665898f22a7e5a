import "./media.css";

import { type ReactElement, useState } from "react";

import type { ListedMedia, MediaKind } from "../../api/types.ts";
import { Button } from "../../ui/Button.tsx";
import { EmptyState } from "../../ui/EmptyState.tsx";
import { formatCount } from "../../ui/format.ts";
import { Notice } from "../../ui/Notice.tsx";
import { PageHeader } from "../../ui/PageHeader.tsx";
import { type Address, useAddress, useSearchText } from "../../ui/search-params.ts";
import { SearchField } from "../../ui/SearchField.tsx";
import { SegmentedControl } from "../../ui/SegmentedControl.tsx";
import { Select } from "../../ui/Select.tsx";
import { useFileDrop } from "../../ui/useFileDrop.ts";
import { PagedList } from "../queries/PagedList.tsx";
import { CropDialog } from "./CropDialog.tsx";
import { DeleteMedia } from "./DeleteMedia.tsx";
import { MediaButton } from "./Dropzone.tsx";
import { FocalPointDialog } from "./FocalPointDialog.tsx";
import { MediaBulk } from "./MediaBulk.tsx";
import { MediaCard } from "./MediaCard.tsx";
import { mediaOrders } from "./media-orders.ts";
import { MediaViewer } from "./MediaViewer.tsx";
import { RenameMedia } from "./RenameMedia.tsx";
import { ReplaceMedia } from "./ReplaceMedia.tsx";
import { PageUploadList } from "./PageUploadList.tsx";
import { type MediaView, perPage, useMediaList, useMissingAlt, viewOf } from "./useMedia.ts";
import { useMediaSelection } from "./useMediaSelection.ts";
import { usePageUploads } from "./usePageUploads.ts";

const kinds = [
  { value: "", label: "All" },
  { value: "image", label: "Images" },
  { value: "video", label: "Videos" },
] as const satisfies readonly { value: MediaKind | ""; label: string }[];

function Filters(props: { address: Address; view: MediaView }): ReactElement {
  const { address, view } = props;
  const search = useSearchText(address);
  return (
    <div className="filters">
      <SearchField label="Search media" search={search} />
      <SegmentedControl
        legend="Kind"
        value={view.kind ?? ""}
        options={kinds}
        onChange={(kind) => address.change({ kind, page: null })}
      />
      <label className="media-alt-filter">
        <input
          type="checkbox"
          checked={view.alt === "missing"}
          onChange={({ target }) =>
            address.change({ alt: target.checked ? "missing" : null, page: null })
          }
        />
        Without alt text
      </label>
      <Select
        label="Sort by"
        visuallyHiddenLabel
        value={view.sort ?? ""}
        options={mediaOrders}
        onChange={(sort) => address.change({ sort, page: null })}
      />
      <p className="muted drop-hint">Drop files anywhere on this page.</p>
    </div>
  );
}

/** Asks for missing alt texts, such as those of new uploads. */
function MissingAlt({ address, view }: { address: Address; view: MediaView }): ReactElement | null {
  const missing = useMissingAlt() ?? 0;
  if (missing === 0 || view.alt === "missing") return null;
  const verb = missing === 1 ? "has" : "have";
  return (
    <Notice
      kind="warn"
      title={`${formatCount(missing, "image")} ${verb} no alt text`}
      actions={
        <Button onClick={() => address.change({ q: null, kind: null, alt: "missing", page: null })}>
          Describe {missing === 1 ? "it" : "them"}
        </Button>
      }
    >
      Describe each one for people who can’t see it, or mark it as decorative.
    </Notice>
  );
}

function DropCover(): ReactElement {
  return (
    <div className="drop-over" aria-hidden="true">
      <p>Drop to upload</p>
    </div>
  );
}

/** A page of stored files with their actions, for one of them or for all selected ones. */
function Library({ items }: { items: readonly ListedMedia[] }): ReactElement {
  const selection = useMediaSelection(items);
  const [viewed, setViewed] = useState<ListedMedia | null>(null);
  const [mediaToDelete, setMediaToDelete] = useState<ListedMedia | null>(null);
  const [mediaToRename, setMediaToRename] = useState<ListedMedia | null>(null);
  const [mediaToFocus, setMediaToFocus] = useState<ListedMedia | null>(null);
  const [mediaToCrop, setMediaToCrop] = useState<ListedMedia | null>(null);
  const [mediaToReplace, setMediaToReplace] = useState<ListedMedia | null>(null);
  return (
    <>
      <ul className="media-grid" aria-label="Media">
        {items.map((item) => (
          <li key={item.id}>
            <MediaCard
              item={item}
              selection={selection}
              onView={setViewed}
              onRename={setMediaToRename}
              onFocalPoint={setMediaToFocus}
              onCrop={setMediaToCrop}
              onReplace={setMediaToReplace}
              onDelete={setMediaToDelete}
            />
          </li>
        ))}
      </ul>
      <MediaBulk selection={selection} shown={items} />
      {viewed && (
        <MediaViewer
          item={viewed}
          items={items}
          onView={setViewed}
          onClose={() => setViewed(null)}
        />
      )}
      {mediaToRename && <RenameMedia item={mediaToRename} onClose={() => setMediaToRename(null)} />}
      {mediaToFocus && (
        <FocalPointDialog item={mediaToFocus} onClose={() => setMediaToFocus(null)} />
      )}
      {mediaToCrop && <CropDialog item={mediaToCrop} onClose={() => setMediaToCrop(null)} />}
      {mediaToReplace && (
        <ReplaceMedia item={mediaToReplace} onClose={() => setMediaToReplace(null)} />
      )}
      {mediaToDelete && <DeleteMedia item={mediaToDelete} onClose={() => setMediaToDelete(null)} />}
    </>
  );
}

/** The page of all stored images and videos. */
export function MediaPage(): ReactElement {
  const address = useAddress();
  const view = viewOf(address);
  const media = useMediaList(view);
  const uploads = usePageUploads();
  const { over } = useFileDrop(uploads.add);
  const upload = (words: string): ReactElement => (
    <MediaButton variant="primary" onFiles={uploads.add}>
      {words}
    </MediaButton>
  );
  return (
    <div className="page">
      <PageHeader title="Media">{upload("Upload files")}</PageHeader>
      <Filters address={address} view={view} />
      <PageUploadList uploads={uploads} />
      <MissingAlt address={address} view={view} />
      <PagedList
        query={media}
        address={address}
        view={view}
        perPage={perPage}
        noun="files"
        skeleton={{ count: 8, shape: "card" }}
        filters={["q", "kind", "alt"]}
        empty={
          <EmptyState action={upload("Upload your first files")}>
            No images or videos yet.
          </EmptyState>
        }
      >
        {({ items }) => <Library items={items} />}
      </PagedList>
      {over && <DropCover />}
    </div>
  );
}
