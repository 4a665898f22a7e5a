import { useSortable } from "@dnd-kit/sortable";
import { CSS } from "@dnd-kit/utilities";
import type { ReactElement } from "react";

import { Button } from "../../../../ui/Button.tsx";
import { Icon } from "../../../../ui/Icon.tsx";
import { TextArea } from "../../../../ui/TextArea.tsx";
import { useMediaQuery } from "../../../../ui/useMediaQuery.ts";
import { AltMissing, DecorativeChoice } from "../../../media/AltMissing.tsx";
import { MediaButton } from "../../../media/Dropzone.tsx";
import { Thumbnail } from "../../../media/Thumbnail.tsx";
import { fileName } from "../field-labels.ts";
import type { Slot } from "../form.ts";
import { ItemActions, type Items } from "../parts/ItemList.tsx";
import type { SectionProps } from "../parts/section-props.ts";
import { SlotUpload } from "./SlotUpload.tsx";
import type { Gallery } from "./useGallery.ts";

export interface GalleryCardProps extends SectionProps {
  slot: Slot;
  index: number;
  gallery: Gallery;
  of: Items<"gallery">;
  onChoose(): void;
  onGiveUp(): void;
  onRemove(): void;
}

/** An image's name if it has no alt text. */
function nameOf({ slot, state, gallery }: GalleryCardProps): string {
  if (slot.caption.trim() !== "") return slot.caption.trim();
  if (slot.src === null) return gallery.uploadOf(slot)?.name ?? "no file";
  return state.known[slot.src]?.originalName ?? fileName(slot.src);
}

/** What an empty alt text means. */
function altHint({ slot, state }: GalleryCardProps): string {
  if (slot.isDecorative === true) return "Screen readers skip decorative images.";
  const own = slot.src === null ? "" : (state.known[slot.src]?.alt ?? "");
  return own === ""
    ? "Missing. Describe the image for people who can’t see it."
    : `Blank, so the image’s own text is used: “${own}”`;
}

/** Whether the image has no alt text and isn't marked as decorative. */
function isAltMissing({ slot, state }: GalleryCardProps): boolean {
  if (slot.src === null || slot.isDecorative === true || slot.alt.trim() !== "") return false;
  const media = state.known[slot.src];
  return media !== undefined && media.kind === "image" && media.alt === "" && !media.isDecorative;
}

function CaptionFields(props: GalleryCardProps): ReactElement {
  const { slot, state, dispatch } = props;
  const at = `gallery.${slot.key}`;
  const edit = (part: Partial<Slot>): void =>
    dispatch({ type: "edit", list: "gallery", key: slot.key, part });
  const wrong = state.errors[`${at}.src`];
  return (
    <div className="slot-words">
      <TextArea
        line
        name={`${at}.caption`}
        label="Caption"
        error={state.errors[`${at}.caption`]}
        value={slot.caption}
        onChange={(caption) => edit({ caption })}
      />
      <TextArea
        line
        name={`${at}.alt`}
        label="Alt text"
        hint={slot.alt.trim() === "" ? altHint(props) : undefined}
        error={state.errors[`${at}.alt`]}
        value={slot.alt}
        onChange={(alt) => edit({ alt, isDecorative: false })}
      />
      <DecorativeChoice
        checked={slot.isDecorative === true}
        onChange={(isDecorative) =>
          edit(isDecorative ? { isDecorative, alt: "" } : { isDecorative })
        }
      />
      {wrong && (
        <p className="field-error" tabIndex={-1} data-wrong>
          {wrong}
        </p>
      )}
    </div>
  );
}

function Actions(props: GalleryCardProps): ReactElement {
  const { slot, index, gallery } = props;
  const noun = `image ${index + 1}`;
  return (
    <ItemActions of={props.of} itemKey={slot.key} index={index} onRemove={props.onRemove}>
      <MediaButton
        multiple={false}
        label={`Replace ${noun} with a file`}
        onFiles={([file]) => file && gallery.replaceByFile(slot, file)}
      >
        Replace
      </MediaButton>
      <Button label={`Replace ${noun} from the library`} onClick={props.onChoose}>
        Library
      </Button>
    </ItemActions>
  );
}

/** An image in the gallery with its alt text and actions. */
export function GalleryCard(props: GalleryCardProps): ReactElement {
  const { slot, index, gallery } = props;
  const still = useMediaQuery("(prefers-reduced-motion: reduce)");
  const sortable = useSortable({ id: slot.key, ...(still && { transition: null }) });
  const upload = gallery.uploadOf(slot);
  const note = gallery.noteOf(slot);
  const media = slot.src === null ? null : (props.state.known[slot.src] ?? null);
  return (
    <li
      ref={sortable.setNodeRef}
      data-item={slot.key}
      data-dragged={sortable.isDragging}
      className="item slot"
      aria-label={`Image ${index + 1}: ${nameOf(props)}`}
      style={{
        transform: CSS.Translate.toString(sortable.transform),
        transition: sortable.transition,
      }}
    >
      <div className="slot-image">
        <Thumbnail media={media} width={220} />
        {index === 0 && <span className="cover-mark">Cover</span>}
        <button
          type="button"
          className="button square slot-handle"
          {...sortable.attributes}
          {...sortable.listeners}
          aria-label={`Drag image ${index + 1}`}
        >
          <Icon name="grip" />
        </button>
      </div>
      <div className="slot-body">
        {upload && (
          <SlotUpload
            item={upload}
            noun={`image ${index + 1}`}
            onRetry={() => gallery.uploads.retry(upload.key)}
            onGiveUp={props.onGiveUp}
          />
        )}
        {note && <p className="hint">{note}</p>}
        {isAltMissing(props) && <AltMissing />}
        <CaptionFields {...props} />
        <Actions {...props} />
      </div>
    </li>
  );
}
