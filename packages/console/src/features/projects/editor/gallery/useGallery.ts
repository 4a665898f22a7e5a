import { useState } from "react";

import { useAnnounce } from "../../../../api/context.tsx";
import type { MediaItem } from "../../../../api/types.ts";
import { formatCount } from "../../../../ui/format.ts";
import type { UploadItem } from "../../../media/upload-queue.ts";
import { type Uploads, useFormUploads } from "../../../media/usePageUploads.ts";
import type { EditorState } from "../editor-types.ts";
import type { Slot } from "../form.ts";
import { newKey } from "../keyed-list.ts";
import type { Dispatch } from "../useEditorState.ts";
import { bounds } from "../validate.ts";

export interface Gallery {
  uploads: Uploads;
  /** The upload that a place waits for. */
  uploadOf(slot: Slot): UploadItem | null;
  /** A remark about a file that was just stored, such as a fixed problem. */
  noteOf(slot: Slot): string | null;
  addFiles(files: readonly File[]): void;
  addStored(media: readonly MediaItem[]): void;
  replaceByFile(slot: Slot, file: File): void;
  replaceByStored(slot: Slot, media: MediaItem): void;
  /** Cancels the upload of a place, which keeps its file. */
  giveUp(slot: Slot): void;
  /** The number of failed uploads that need a decision. */
  failed: number;
  /** Why some of the added files have no place. */
  refused: string | null;
}

/** How many more fit, and the message about those that don't. */
function roomFor(taken: number, wanted: number): { room: number; refused: string | null } {
  const room = Math.max(0, Math.min(wanted, bounds.gallery - taken));
  if (room === wanted) return { room, refused: null };
  const left = formatCount(wanted - room, "file was", "files were");
  return { room, refused: `A gallery holds up to ${bounds.gallery} files. ${left} not added.` };
}

/** The actions of one place. */
function useSlots(uploads: Uploads, dispatch: Dispatch) {
  const announce = useAnnounce();
  const edit = (slot: Slot, part: Partial<Slot>): void =>
    dispatch({ type: "edit", list: "gallery", key: slot.key, part });
  const forget = (slot: Slot): void => {
    if (slot.upload === null) return;
    uploads.cancel(slot.upload);
    uploads.dismiss([slot.upload]);
  };
  return {
    replaceByFile(slot: Slot, file: File): void {
      forget(slot);
      const [upload = null] = uploads.add([file]);
      edit(slot, { upload });
    },
    replaceByStored(slot: Slot, media: MediaItem): void {
      forget(slot);
      dispatch({ type: "learn", media: [media] });
      edit(slot, { src: media.src, upload: null, alt: slot.alt || media.alt });
      announce(`Replaced with ${media.originalName}.`);
    },
    giveUp(slot: Slot): void {
      forget(slot);
      edit(slot, { upload: null });
    },
  };
}

/**
 * Everything that adds files to the gallery and removes them. Uploads that an earlier page of this
 * project has started get places at its end. `project` is null for a new one.
 */
export function useGallery(
  latest: () => EditorState,
  dispatch: Dispatch,
  project: number | null,
): Gallery {
  const uploads = useFormUploads(`project:${project ?? "new"}`, {
    onEarlier: (upload) => append([{ src: null, alt: "", upload }], null),
    onDone(media, upload) {
      const { gallery } = latest().form;
      const hasPlace = gallery.some((slot) => slot.upload === upload);
      if (hasPlace) return dispatch({ type: "uploaded", upload, media });
      // Stored while the editor wasn't open; it may have been chosen from the library since.
      if (!gallery.some(({ src }) => src === media.src)) addStored([media]);
    },
  });
  const announce = useAnnounce();
  const [refused, setRefused] = useState<string | null>(null);
  const slots = useSlots(uploads, dispatch);

  function append(places: readonly Omit<Slot, "key" | "caption">[], over: string | null): void {
    const items = places.map((place) => Object.assign({ key: newKey(), caption: "" }, place));
    setRefused(over);
    if (over) announce(over);
    if (items.length > 0) dispatch({ type: "add", list: "gallery", items });
  }
  function addStored(media: readonly MediaItem[]): void {
    const { room, refused: over } = roomFor(latest().form.gallery.length, media.length);
    const taken = media.slice(0, room);
    dispatch({ type: "learn", media: taken });
    const places = taken.map(({ src, alt }) => ({ src, alt, upload: null }));
    append(places, over);
    if (!over) announce(`${formatCount(taken.length, "file")} added to the gallery.`);
  }
  return {
    ...slots,
    addStored,
    uploads,
    failed: uploads.items.filter(({ status }) => status === "failed").length,
    refused,
    uploadOf: (slot) => uploads.items.find(({ key }) => key === slot.upload) ?? null,
    noteOf: (slot) =>
      uploads.items.find(({ status, media }) => status === "done" && media?.src === slot.src)
        ?.note ?? null,
    addFiles(files) {
      const { room, refused: over } = roomFor(latest().form.gallery.length, files.length);
      const keys = uploads.add(files.slice(0, room));
      const places = keys.map((upload) => ({ src: null, alt: "", upload }));
      append(places, over);
    },
  };
}
