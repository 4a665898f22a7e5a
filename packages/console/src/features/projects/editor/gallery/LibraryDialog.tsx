import { type ReactElement, useDeferredValue, useState } from "react";

import type { MediaItem, MediaKind, MediaList } from "../../../../api/types.ts";
import { useListPage } from "../../../../api/useGet.ts";
import { Button } from "../../../../ui/Button.tsx";
import { Dialog } from "../../../../ui/Dialog.tsx";
import { formatCount } from "../../../../ui/format.ts";
import { Pagination } from "../../../../ui/Pagination.tsx";
import { TextInput } from "../../../../ui/TextInput.tsx";
import { Thumbnail } from "../../../media/Thumbnail.tsx";
import { QueryBody } from "../../../queries/QueryBody.tsx";

const perPage = 24;

function Choice(props: { media: MediaItem; place: number; onToggle(): void }): ReactElement {
  const { media, place } = props;
  return (
    <li>
      <button
        type="button"
        className="library-choice"
        aria-pressed={place > 0}
        onClick={props.onToggle}
      >
        <Thumbnail media={media} width={160} />
        <span className="library-name">{media.originalName}</span>
        {media.alt !== "" && <span className="unseen">, {media.alt}</span>}
        {place > 0 && (
          <span className="library-place" aria-hidden="true">
            {place}
          </span>
        )}
      </button>
    </li>
  );
}

function Choices(props: {
  q: string;
  kind: MediaKind | undefined;
  chosen: readonly MediaItem[];
  onToggle(media: MediaItem): void;
}): ReactElement {
  const { q, kind } = props;
  const [page, setPage] = useState(1);
  const query = { q, kind, page, perPage };
  const list = useListPage<MediaList>(["media", "picker"], "/api/media/list", query);
  const choice = (media: MediaItem): ReactElement => (
    <Choice
      key={media.id}
      media={media}
      place={props.chosen.findIndex(({ id }) => id === media.id) + 1}
      onToggle={() => props.onToggle(media)}
    />
  );
  return (
    <QueryBody
      query={list}
      what="the library"
      skeleton={{ count: 6, shape: "card", label: "Loading library…" }}
    >
      {({ items, total }) =>
        items.length === 0 ? (
          <p className="empty-line">
            {q === "" ? "The library is empty. Upload files first." : `Nothing matches “${q}”.`}
          </p>
        ) : (
          <>
            <ul className="library" aria-label="Stored files">
              {items.map(choice)}
            </ul>
            <Pagination page={page} perPage={perPage} total={total} noun="files" onPage={setPage} />
          </>
        )
      }
    </QueryBody>
  );
}

function choiceLabel(several: boolean, amount: number): string {
  if (!several) return "Use it";
  return amount === 0 ? "Add" : `Add ${formatCount(amount, "file")}`;
}

/** Selects stored files; several keep the order in which they were selected. */
export function LibraryDialog(props: {
  several: boolean;
  /** What it is called, where it is for something else than a gallery. */
  title?: string;
  /** Only these are offered; all unless told. */
  kind?: MediaKind;
  onClose(): void;
  onChosen(media: readonly MediaItem[]): void;
}): ReactElement {
  const [q, setQ] = useState("");
  const search = useDeferredValue(q.trim());
  const [chosen, setChosen] = useState<readonly MediaItem[]>([]);
  function toggle(media: MediaItem): void {
    const others = chosen.filter(({ id }) => id !== media.id);
    if (others.length < chosen.length) setChosen(others);
    else setChosen(props.several ? [...chosen, media] : [media]);
  }
  return (
    <Dialog
      size="wide"
      title={props.title ?? (props.several ? "Add from the library" : "Replace from the library")}
      onClose={props.onClose}
      actions={
        <>
          <Button onClick={props.onClose}>Cancel</Button>
          <Button
            variant="primary"
            disabled={chosen.length === 0}
            onClick={() => props.onChosen(chosen)}
          >
            {choiceLabel(props.several, chosen.length)}
          </Button>
        </>
      }
    >
      <TextInput
        type="search"
        label="Search the library"
        placeholder="Name or alt text"
        value={q}
        onChange={setQ}
      />
      <Choices key={search} q={search} kind={props.kind} chosen={chosen} onToggle={toggle} />
    </Dialog>
  );
}
