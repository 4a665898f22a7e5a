import { useEffect, useEffectEvent, useRef, useState, useSyncExternalStore } from "react";

import { useClient } from "../../api/context.tsx";
import {
  type AttachmentUpload,
  createAttachmentUpload,
  type Sending,
  type Stored,
} from "./attachment-upload.ts";
import { type DraftImage, isUploaded, maxImages, type ImageUse } from "./draft-images.ts";
import { type KeptImages, openKeptImages } from "./kept-images.ts";
import { createThumbnail } from "./thumbnail.ts";
import type { Draft } from "./useDraft.ts";

/** A draft's image with the state of its upload. */
export interface AttachItem extends DraftImage {
  sending: Sending | null;
  /** Whether it has been uploaded for its use. */
  ready: boolean;
  error: string | null;
  canRetry: boolean;
}

export interface Attachments {
  items: readonly AttachItem[];
  /** Why files weren't accepted. */
  refused: string | null;
  /** The latest announcement for screen readers. */
  announcement: string;
  add(files: readonly File[]): void;
  remove(key: string): void;
  retry(key: string): void;
  choose(key: string, use: ImageUse): void;
  /** Sets an image's alt text; `done` once the field has lost focus. */
  describe(key: string, alt: string, done: boolean): void;
}

const queued: Sending = {
  status: "queued",
  fraction: null,
  error: null,
  canRetry: false,
  note: null,
};
const lost = "Not uploaded before the page closed. Attach it again.";

/** A failure as a text. */
const labelsOf = (cause: unknown): string =>
  cause instanceof Error ? cause.message : "Something went wrong. Try again.";

/** The current draft, for asynchronous code, and changes to one of its images. */
function useLatest(draft: Draft) {
  const latest = useRef(draft);
  useEffect(() => {
    latest.current = draft;
  });
  const [access] = useState(() => ({
    find: (key: string) => latest.current.images.find((image) => image.key === key),
    patch: (key: string, change: Partial<DraftImage>) =>
      latest.current.setImages((known) =>
        known.map((image) => (image.key === key ? Object.assign({}, image, change) : image)),
      ),
  }));
  return access;
}

/** Errors besides the upload itself, by image; null removes one. */
function useFaults() {
  const [faults, setFaults] = useState<ReadonlyMap<string, string>>(new Map());
  const fail = (key: string, words: string | null): void =>
    setFaults((known) => {
      const next = new Map(known);
      if (words === null) next.delete(key);
      else next.set(key, words);
      return next;
    });
  return { faults, fail };
}

/** Uploads a draft's images and tracks their states. */
function useSending(draft: Draft, kept: KeptImages) {
  const files = useRef(new Map<string, File>());
  const [preparing, setPreparing] = useState<ReadonlySet<string>>(new Set());
  const [said, setSaid] = useState("");
  const { find, patch } = useLatest(draft);
  const { faults, fail } = useFaults();
  const client = useClient();

  async function describe(key: string, mediaId: number, alt: string): Promise<void> {
    try {
      await sender.describe(mediaId, alt);
      fail(key, null);
    } catch (cause) {
      fail(key, `Couldn’t save the description. ${labelsOf(cause)}`);
    }
  }
  function onStored(key: string, stored: Stored): void {
    kept.forget(key);
    if (stored.use === "reference") return patch(key, { referenceId: stored.referenceId });
    const known = find(key);
    const { mediaId, src } = stored;
    const alt = known?.alt || stored.alt;
    patch(key, { mediaId, src, alt, thumb: known?.thumb ?? stored.thumb });
    if (alt !== stored.alt) void describe(key, mediaId, alt);
  }
  const [sender] = useState<AttachmentUpload>(() =>
    createAttachmentUpload({ client, announce: setSaid, onStored }),
  );
  const states = useSyncExternalStore(sender.subscribe, sender.states);

  /** Uploads an image according to its use; if it is only stored, it is fetched first. */
  async function send(key: string, use: ImageUse): Promise<void> {
    const { src = null, referenceId = null, name = "image", alt = "" } = find(key) ?? {};
    fail(key, null);
    setPreparing((known) => new Set(known).add(key));
    try {
      const address = src ?? (referenceId === null ? null : `/api/media/reference/${referenceId}`);
      let file = files.current.get(key);
      if (!file && address !== null) file = await sender.fetchFile(address, name);
      file ??= (await kept.find(key)) ?? undefined;
      if (!file) throw new Error(lost);
      files.current.set(key, file);
      sender.send(key, file, use, alt);
    } catch (cause) {
      fail(key, labelsOf(cause));
    } finally {
      setPreparing((known) => new Set([...known].filter((other) => other !== key)));
    }
  }
  const stateOf = (key: string): Sending | null =>
    states.get(key) ?? (preparing.has(key) ? queued : null);
  return { files, faults, said, find, patch, fail, send, describe, stateOf, drop: sender.drop };
}

function itemOf(image: DraftImage, sending: Sending | null, fault: string | null): AttachItem {
  const ready = isUploaded(image);
  const failed = sending?.status === "failed" || sending?.status === "cancelled";
  const error = fault ?? (ready ? null : sending === null ? lost : failed ? sending.error : null);
  return { ...image, sending, ready, error, canRetry: failed && sending?.canRetry === true };
}

/** A key that no earlier page of this tab has used. */
const newKey = (index: number): string => `${Date.now().toString(36)}-${index}`;

function newImage(key: string, file: File): DraftImage {
  const name = file.name || "Pasted image";
  const nothing = { thumb: null, mediaId: null, src: null, referenceId: null };
  return { key, name, use: "reference", alt: "", ...nothing };
}

/** Why some files aren't accepted; null if all are. */
function refusal(videos: number, images: number, room: number): string | null {
  if (images > room) return `You can attach up to ${maxImages} images.`;
  return videos > 0 ? "Attach images only. Videos go to the media library." : null;
}

/** A draft's images and their actions. */
export function useAttachments(draft: Draft): Attachments {
  const [refused, setRefused] = useState<string | null>(null);
  const [kept] = useState(openKeptImages);
  const { files, faults, said, find, patch, fail, send, describe, stateOf, drop } = useSending(
    draft,
    kept,
  );
  const resume = useEffectEvent((): void => {
    for (const image of draft.images) if (!isUploaded(image)) void send(image.key, image.use);
  });
  // What the page before hasn't uploaded.
  useEffect(() => resume(), []);

  function add(given: readonly File[]): void {
    const images = given.filter(({ type }) => !type.startsWith("video/"));
    const room = Math.max(0, maxImages - draft.images.length);
    setRefused(refusal(given.length - images.length, images.length, room));
    for (const [index, file] of images.slice(0, room).entries()) {
      const key = newKey(index);
      files.current.set(key, file);
      kept.keep(key, file);
      draft.setImages((known) => [...known, newImage(key, file)]);
      void send(key, "reference");
      void createThumbnail(file).then((thumb) => thumb !== null && patch(key, { thumb }));
    }
  }
  function remove(key: string): void {
    files.current.delete(key);
    kept.forget(key);
    fail(key, null);
    setRefused(null);
    drop(key);
    draft.setImages((known) => known.filter((image) => image.key !== key));
  }
  function choose(key: string, use: ImageUse): void {
    const image = find(key);
    if (!image || image.use === use) return;
    patch(key, { use });
    if (isUploaded({ ...image, use })) fail(key, null);
    else void send(key, use);
  }
  return {
    items: draft.images.map((image) =>
      itemOf(image, stateOf(image.key), faults.get(image.key) ?? null),
    ),
    refused,
    announcement: said,
    add,
    remove,
    retry: (key) => void send(key, find(key)?.use ?? "reference"),
    choose,
    describe(key, alt, done) {
      const mediaId = find(key)?.mediaId ?? null;
      if (!done) patch(key, { alt });
      else if (mediaId !== null) void describe(key, mediaId, alt.trim());
    },
  };
}
