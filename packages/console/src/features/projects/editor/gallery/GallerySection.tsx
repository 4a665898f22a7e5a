import { closestCenter, DndContext } from "@dnd-kit/core";
import { SortableContext, verticalListSortingStrategy } from "@dnd-kit/sortable";
import { memo, type ReactElement, useMemo, useState } from "react";

import { Button } from "../../../../ui/Button.tsx";
import { formatCount } from "../../../../ui/format.ts";
import { Notice } from "../../../../ui/Notice.tsx";
import { Dropzone, MediaButton } from "../../../media/Dropzone.tsx";
import type { Slot } from "../form.ts";
import { ItemList, type Items, useItems } from "../parts/ItemList.tsx";
import type { SectionProps } from "../parts/section-props.ts";
import { Section } from "../parts/Section.tsx";
import { GalleryCard } from "./GalleryCard.tsx";
import { LibraryDialog } from "./LibraryDialog.tsx";
import type { Gallery } from "./useGallery.ts";
import { useGallerySorting } from "./useGallerySorting.ts";

export interface GallerySectionProps extends SectionProps {
  gallery: Gallery;
  title?: string;
}

function Cards(
  props: GallerySectionProps & { of: Items<"gallery">; onChoose(slot: Slot): void },
): ReactElement {
  const { gallery, of: items } = props;
  const sorting = useGallerySorting(items.all, items.put);
  // The same array as long as the order is the same; a new one would render each card again.
  const order = items.all.map(({ key }) => key).join("\n");
  const keys = useMemo(() => (order === "" ? [] : order.split("\n")), [order]);
  function remove(slot: Slot, index: number): void {
    gallery.giveUp(slot);
    items.remove(slot.key, index);
  }
  function giveUp(slot: Slot, index: number): void {
    if (slot.src === null) return remove(slot, index);
    gallery.giveUp(slot);
    items.focusOn(slot.key);
  }
  return (
    <DndContext collisionDetection={closestCenter} {...sorting}>
      <SortableContext items={keys} strategy={verticalListSortingStrategy}>
        <ItemList of={items} label="Gallery">
          {(slot, index) => (
            <GalleryCard
              {...props}
              key={slot.key}
              slot={slot}
              index={index}
              onChoose={() => props.onChoose(slot)}
              onGiveUp={() => giveUp(slot, index)}
              onRemove={() => remove(slot, index)}
            />
          )}
        </ItemList>
      </SortableContext>
    </DndContext>
  );
}

/**
 * Whether nothing shown in the gallery has changed, so that typing elsewhere doesn't render its
 * cards again.
 */
function isSameView(one: GallerySectionProps, other: GallerySectionProps): boolean {
  return (
    one.state.form.gallery === other.state.form.gallery &&
    one.state.known === other.state.known &&
    one.state.errors === other.state.errors &&
    one.state.removed === other.state.removed &&
    one.gallery.uploads.items === other.gallery.uploads.items &&
    one.gallery.refused === other.gallery.refused
  );
}

/** The project's images and videos, in order; files can be dropped anywhere on it. */
export const GallerySection = memo(function GallerySection(
  props: GallerySectionProps,
): ReactElement {
  const { gallery, state } = props;
  const slots = state.form.gallery;
  const items = useItems(props, "gallery", "Image");
  const [choosing, setChoosing] = useState<"add" | Slot | null>(null);
  return (
    <Section
      title={props.title ?? "Gallery"}
      hint="The first one is the cover. Drop images or videos anywhere here."
      error={state.errors.gallery}
      aside={slots.length > 0 && <span className="count">{formatCount(slots.length, "file")}</span>}
    >
      <Dropzone onFiles={gallery.addFiles} className="gallery-drop">
        {slots.length === 0 && items.removed === null ? (
          <p className="empty-line">No images yet.</p>
        ) : (
          <Cards {...props} of={items} onChoose={setChoosing} />
        )}
        {gallery.refused && <Notice kind="warn">{gallery.refused}</Notice>}
        <div className="actions">
          <MediaButton
            ref={items.addButton}
            onFiles={gallery.addFiles}
            label="Upload files to the gallery"
          >
            Upload
          </MediaButton>
          <Button icon="image" onClick={() => setChoosing("add")}>
            Choose from the library
          </Button>
        </div>
      </Dropzone>
      {choosing !== null && (
        <LibraryDialog
          several={choosing === "add"}
          onClose={() => setChoosing(null)}
          onChosen={(media) => {
            setChoosing(null);
            const [first] = media;
            if (choosing === "add") gallery.addStored(media);
            else if (first) gallery.replaceByStored(choosing, first);
          }}
        />
      )}
    </Section>
  );
}, isSameView);
