import { type ReactElement, useDeferredValue, useRef, useState } from "react";

import type { MediaItem, MediaKind, MediaList } from "../../../../api/types.ts";
import { useListPage } from "../../../../api/useGet.ts";
import { Button } from "../../../../ui/Button.tsx";
import { Dialog } from "../../../../ui/Dialog.tsx";
import { formatCount } from "../../../../ui/format.ts";
import { Pagination } from "../../../../ui/Pagination.tsx";
import { Select } from "../../../../ui/Select.tsx";
import { TextInput } from "../../../../ui/TextInput.tsx";
import { type MediaOrder, mediaOrders } from "../../../media/media-orders.ts";
import { Thumbnail } from "../../../media/Thumbnail.tsx";
import { QueryBody } from "../../../queries/QueryBody.tsx";

const perPage = 24;

function Choice(props: {
  media: MediaItem;
  place: number;
  onToggle(range: boolean): void;
}): ReactElement {
  const { media, place } = props;
  return (
    <li>
      <button
        type="button"
        className="library-choice"
        aria-pressed={place > 0}
        onClick={(event) => props.onToggle(event.shiftKey)}
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
  sort: MediaOrder;
  chosen: readonly MediaItem[];
  onToggle(media: MediaItem): void;
  /** Selects more files; missing if only one can be selected. */
  onAdd: ((media: readonly MediaItem[]) => void) | undefined;
}): ReactElement {
  const { q, kind, sort, onAdd } = props;
  const last = useRef<number | null>(null);
  const [page, setPage] = useState(1);
  const query = { q, kind, sort, page, perPage };
  const list = useListPage<MediaList>(["media", "picker"], "/api/media/list", query);
  const choose = (items: readonly MediaItem[], media: MediaItem, isRange: boolean): void => {
    const at = items.indexOf(media);
    const from = items.findIndex(({ id }) => id === last.current);
    last.current = media.id;
    if (!isRange || !onAdd || from < 0) return props.onToggle(media);
    const range = items.slice(Math.min(at, from), Math.max(at, from) + 1);
    onAdd(from > at ? range.toReversed() : range);
  };
  const choice = (media: MediaItem, _: number, items: readonly MediaItem[]): ReactElement => (
    <Choice
      key={media.id}
      media={media}
      place={props.chosen.findIndex(({ id }) => id === media.id) + 1}
      onToggle={(isRange) => choose(items, media, isRange)}
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

/** The selected files, in the order in which they were selected. */
function useChosen(several: boolean) {
  const [chosen, setChosen] = useState<readonly MediaItem[]>([]);
  return {
    chosen,
    toggle(media: MediaItem): void {
      const others = chosen.filter(({ id }) => id !== media.id);
      if (others.length < chosen.length) setChosen(others);
      else setChosen(several ? [...chosen, media] : [media]);
    },
    add(media: readonly MediaItem[]): void {
      const known = new Set(chosen.map(({ id }) => id));
      setChosen([...chosen, ...media.filter(({ id }) => !known.has(id))]);
    },
  };
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
  const [sort, setSort] = useState<MediaOrder>("");
  const { chosen, toggle, add } = useChosen(props.several);
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
      <Select<MediaOrder>
        label="Sort by"
        visuallyHiddenLabel
        value={sort}
        options={mediaOrders}
        onChange={setSort}
      />
      <Choices
        key={`${sort} ${search}`}
        q={search}
        kind={props.kind}
        sort={sort}
        chosen={chosen}
        onToggle={toggle}
        onAdd={props.several ? add : undefined}
      />
    </Dialog>
  );
}
