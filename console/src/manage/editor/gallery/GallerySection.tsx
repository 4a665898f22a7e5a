import { closestCenter, DndContext } from "@dnd-kit/core";
import { SortableContext, verticalListSortingStrategy } from "@dnd-kit/sortable";
import { Fragment, memo, type ReactElement, type RefObject, useRef, useState } from "react";

import { Button } from "../../components/Button.tsx";
import { Dropzone, FileButton } from "../../components/Dropzone.tsx";
import { Notice } from "../../components/Notice.tsx";
import { counted } from "../../words.ts";
import type { Slot } from "../form.ts";
import { Section } from "../parts/Section.tsx";
import type { SectionProps } from "../parts/section-props.ts";
import { controlOf, useFocusNext } from "../parts/useFocusNext.ts";
import { GalleryCard } from "./GalleryCard.tsx";
import { LibraryDialog } from "./LibraryDialog.tsx";
import type { Gallery } from "./useGallery.ts";
import { useGallerySorting } from "./useGallerySorting.ts";

export interface GallerySectionProps extends SectionProps {
  gallery: Gallery;
  title?: string;
}

/** In the place of a picture that was just removed: the way back. */
function Removed(props: { onUndo(): void }): ReactElement {
  return (
    <li className="item slot-removed">
      <span>Picture removed.</span>
      <Button onClick={props.onUndo}>Undo</Button>
    </li>
  );
}

function Cards(
  props: GallerySectionProps & {
    adder: RefObject<HTMLButtonElement | null>;
    onChoose(slot: Slot): void;
  },
): ReactElement {
  const { state, dispatch, gallery } = props;
  const slots = state.form.gallery;
  const list = useRef<HTMLOListElement>(null);
  const focusNext = useFocusNext();
  const sorting = useGallerySorting(slots, (key, to) =>
    dispatch({ type: "move", list: "gallery", key, to }),
  );
  const near = (index: number): HTMLElement | null =>
    controlOf(list.current, (slots[index + 1] ?? slots[index - 1])?.key) ?? props.adder.current;
  function remove(slot: Slot, index: number): void {
    gallery.remove(slot, index);
    focusNext(() =>
      slot.src === null
        ? near(index)
        : list.current?.querySelector<HTMLElement>(".slot-removed button"),
    );
  }
  function giveUp(slot: Slot, index: number): void {
    gallery.giveUp(slot);
    focusNext(() => (slot.src === null ? near(index) : controlOf(list.current, slot.key)));
  }
  function undo(): void {
    const key = state.removed?.slot.key;
    dispatch({ type: "bringBackPicture" });
    focusNext(() => controlOf(list.current, key));
  }
  const ghost = state.removed && <Removed onUndo={undo} />;
  const ghostAt = Math.min(state.removed?.index ?? 0, slots.length);
  return (
    <DndContext collisionDetection={closestCenter} {...sorting}>
      <SortableContext items={slots.map(({ key }) => key)} strategy={verticalListSortingStrategy}>
        <ol ref={list} className="items" aria-label="Gallery">
          {slots.map((slot, index) => (
            <Fragment key={slot.key}>
              {index === ghostAt && ghost}
              <GalleryCard
                {...props}
                slot={slot}
                index={index}
                onChoose={() => props.onChoose(slot)}
                onGiveUp={() => giveUp(slot, index)}
                onRemove={() => remove(slot, index)}
              />
            </Fragment>
          ))}
          {ghostAt === slots.length && ghost}
        </ol>
      </SortableContext>
    </DndContext>
  );
}

/** Whether nothing that the gallery shows has changed: typing elsewhere draws none of its cards again. */
function looksTheSame(one: GallerySectionProps, other: GallerySectionProps): boolean {
  return (
    one.state.form.gallery === other.state.form.gallery &&
    one.state.known === other.state.known &&
    one.state.errors === other.state.errors &&
    one.state.removed === other.state.removed &&
    one.gallery.uploads.items === other.gallery.uploads.items &&
    one.gallery.refused === other.gallery.refused
  );
}

/** The project's pictures and films, in order; files can be dropped anywhere on it. */
export const GallerySection = memo(function GallerySection(
  props: GallerySectionProps,
): ReactElement {
  const { gallery, state } = props;
  const slots = state.form.gallery;
  const adder = useRef<HTMLButtonElement>(null);
  const [choosing, setChoosing] = useState<"add" | Slot | null>(null);
  return (
    <Section
      title={props.title ?? "Gallery"}
      hint="The first is the cover. Drop pictures or films anywhere here."
      error={state.errors.gallery}
      aside={slots.length > 0 && <span className="count">{counted(slots.length, "file")}</span>}
    >
      <Dropzone onFiles={gallery.addFiles} className="gallery-drop">
        {slots.length === 0 && state.removed === null ? (
          <p className="empty-line">No pictures yet.</p>
        ) : (
          <Cards {...props} adder={adder} onChoose={setChoosing} />
        )}
        {gallery.refused && <Notice kind="warn">{gallery.refused}</Notice>}
        <div className="actions">
          <FileButton ref={adder} onFiles={gallery.addFiles} label="Upload files to the gallery">
            Upload
          </FileButton>
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
}, looksTheSame);
