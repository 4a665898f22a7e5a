import { type ReactElement, useState } from "react";

import type { ListedMedia } from "../../api/types.ts";
import { Button } from "../../ui/Button.tsx";
import { CopyButton } from "../clipboard/CopyButton.tsx";
import { ErrorState } from "../errors/ErrorState.tsx";
import { AltMissing, DecorativeChoice } from "./AltMissing.tsx";
import { AltText } from "./AltText.tsx";
import { mediaDetails } from "./media-details.ts";
import { Thumbnail } from "./Thumbnail.tsx";
import { useSaveDecorative } from "./useMedia.ts";
import type { MediaSelection } from "./useMediaSelection.ts";

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

function Decorative({ item }: { item: ListedMedia }): ReactElement {
  const save = useSaveDecorative(item);
  // The mutation becomes pending a moment after the click; without this, the checkbox would
  // flicker.
  const [chosen, setChosen] = useState<boolean | null>(null);
  return (
    <>
      <DecorativeChoice
        checked={chosen ?? item.isDecorative}
        onChange={(isDecorative) => {
          setChosen(isDecorative);
          save.mutate(isDecorative, { onSettled: () => setChosen(null) });
        }}
      />
      <ErrorState what="Couldn’t save the change." error={save.error} />
    </>
  );
}

export interface MediaCardProps {
  item: ListedMedia;
  selection: MediaSelection;
  onView(item: ListedMedia): void;
  onRename(item: ListedMedia): void;
  onFocalPoint(item: ListedMedia): void;
  onCrop(item: ListedMedia): void;
  onReplace(item: ListedMedia): void;
  onDelete(item: ListedMedia): void;
}

/** The image, and whether it is selected: with Ctrl or Shift, a click selects. */
function Preview({ item, selection, onView }: MediaCardProps): ReactElement {
  const selected = selection.has(item);
  return (
    <>
      <button
        type="button"
        className="media-view"
        aria-label={`${item.kind === "video" ? "Play" : "View"} ${item.originalName}`}
        onClick={(event) => {
          const toggles = event.ctrlKey || event.metaKey;
          if (event.shiftKey) selection.set(item, true, true);
          else if (toggles) selection.set(item, !selected);
          else onView(item);
        }}
      >
        <Thumbnail media={item} width={320} fit="contain" />
      </button>
      <label className="media-select">
        <input
          type="checkbox"
          aria-label={`Select ${item.originalName}`}
          checked={selected}
          onChange={({ target, nativeEvent }) => {
            const range = nativeEvent instanceof MouseEvent && nativeEvent.shiftKey;
            selection.set(item, target.checked, range);
          }}
        />
      </label>
    </>
  );
}

/** A stored file: its preview, details, alt text, and uses. */
export function MediaCard(props: MediaCardProps): ReactElement {
  const { item } = props;
  return (
    <article className="media-card" aria-label={item.originalName} data-media={item.id}>
      <Preview {...props} />
      <h2 title={item.originalName}>{item.originalName}</h2>
      <p className="muted media-facts">{mediaDetails(item)}</p>
      <div className="media-alt">
        {item.kind === "image" && item.alt === "" && !item.isDecorative && <AltMissing />}
        <AltText item={item} />
        {item.kind === "image" && <Decorative item={item} />}
      </div>
      <UsedBy item={item} />
      <div className="actions">
        <CopyButton
          idle="Copy address"
          text={new URL(item.src, location.origin).href}
          what="The address"
          of={item.originalName}
        />
        {item.kind === "image" && (
          <Button
            variant="bare"
            icon="target"
            label={`Focal point of ${item.originalName}`}
            onClick={() => props.onFocalPoint(item)}
          />
        )}
        {item.kind === "image" && !item.animated && (
          <Button
            variant="bare"
            icon="crop"
            label={`Crop ${item.originalName}`}
            onClick={() => props.onCrop(item)}
          />
        )}
        <Button
          variant="bare"
          icon="swap"
          label={`Replace ${item.originalName}`}
          onClick={() => props.onReplace(item)}
        />
        <Button
          variant="bare"
          icon="edit"
          label={`Rename ${item.originalName}`}
          onClick={() => props.onRename(item)}
        />
        <Button
          variant="bare"
          icon="trash"
          label={`Delete ${item.originalName}`}
          onClick={() => props.onDelete(item)}
        />
      </div>
    </article>
  );
}
