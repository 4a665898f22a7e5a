import { type ReactElement, useState } from "react";

import { useAnnounce } from "../../api/context.tsx";
import type { ListedMedia } from "../../api/types.ts";
import { Button } from "../../ui/Button.tsx";
import { copyText } from "../shared/copy-text.ts";
import { AltText } from "./AltText.tsx";
import { mediaDetails } from "./media-details.ts";
import { Thumbnail } from "./Thumbnail.tsx";

function UsedBy({ item }: { item: ListedMedia }): ReactElement {
  if (item.usedBy.length === 0) return <p className="muted">Not used by a project</p>;
  return (
    <p className="muted">
      Used by{" "}
      {item.usedBy.map(({ id, name }, index) => (
        <span key={id}>
          {index > 0 && ", "}
          <a href={`/admin/projects/edit?id=${id}`}>{name}</a>
        </span>
      ))}
    </p>
  );
}

function CopyAddress({ item }: { item: ListedMedia }): ReactElement {
  const announce = useAnnounce();
  const [word, setWord] = useState("Copy address");
  const copy = async (): Promise<void> => {
    const done = await copyText(new URL(item.src, location.origin).href).then(
      () => true,
      () => false,
    );
    setWord(done ? "Copied" : "Can’t copy");
    announce(done ? "The address is copied." : `The browser does not copy. It is ${item.src}`);
  };
  return (
    <Button
      icon={word === "Copied" ? "check" : "copy"}
      label={`${word} of ${item.originalName}`}
      onClick={() => void copy()}
    >
      {word}
    </Button>
  );
}

/** One stored file: what it looks like, is, shows, and where it is used. */
export function MediaCard(props: {
  item: ListedMedia;
  onView(item: ListedMedia): void;
  onDelete(item: ListedMedia): void;
}): ReactElement {
  const { item, onView, onDelete } = props;
  return (
    <article className="media-card" aria-label={item.originalName} data-media={item.id}>
      <button
        type="button"
        className="media-view"
        aria-label={`${item.kind === "video" ? "Play" : "View"} ${item.originalName}`}
        onClick={() => onView(item)}
      >
        <Thumbnail media={item} width={320} fit="contain" />
      </button>
      <h2 title={item.originalName}>{item.originalName}</h2>
      <p className="muted media-facts">{mediaDetails(item)}</p>
      <AltText item={item} />
      <UsedBy item={item} />
      <div className="actions">
        <CopyAddress item={item} />
        <Button
          variant="bare"
          icon="trash"
          label={`Delete ${item.originalName}`}
          onClick={() => onDelete(item)}
        />
      </div>
    </article>
  );
}
