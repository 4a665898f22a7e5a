import type { ReferenceImage } from "../../../../server/src/features/media/schema.ts";
import type { Client } from "../../api/client.ts";
import type { UploadedMedia } from "../../api/types.ts";
import { uploadForm } from "../../features/media/form-upload.ts";
import { sendFile, type SendOptions, type Sent } from "../../features/media/send-file.ts";
import type { UploadItem } from "../../features/media/upload-queue.ts";
import { makeUploadStore } from "../../features/media/upload-store.ts";
import type { ImageUse } from "./draft-images.ts";

/** The state of an image's upload. */
export type Sending = Pick<UploadItem, "status" | "fraction" | "error" | "canRetry" | "note">;

/** The server's result for an image. */
export type Stored =
  | { use: "page"; mediaId: number; src: string; alt: string; thumb: string | null }
  | { use: "reference"; referenceId: string };

export interface SenderOptions {
  client: Client;
  announce(message: string): void;
  onStored(key: string, stored: Stored): void;
}

export interface AttachmentUpload {
  /** Uploads an image according to its use, replacing a running upload with this key. */
  send(key: string, file: File, use: ImageUse, alt: string): void;
  retry(key: string): void;
  /** Removes an image; a running upload is cancelled. */
  drop(key: string): void;
  /** The states of uploads; the same map until something changes. */
  states(): ReadonlyMap<string, Sending>;
  subscribe(listener: () => void): () => void;
  /** Sets the alt text of a stored image. */
  describe(mediaId: number, alt: string): Promise<void>;
  /** Fetches a stored image, to upload it for the other use. */
  fetchFile(address: string, name: string): Promise<File>;
}

/** The server checks the size; videos are refused before this. */
const limits = { imageMiB: Infinity, videoMiB: Infinity };

async function sendReference({
  file,
  signal,
  onProgress,
  client,
}: SendOptions): Promise<Sent<ReferenceImage & Pick<UploadedMedia, "warnings">>> {
  for (;;) {
    try {
      const { data } = await uploadForm<ReferenceImage>({
        address: "/api/media/reference",
        file,
        fields: {},
        signal,
        onProgress,
      });
      return { media: data, created: true };
    } catch (error) {
      if ((error as { status?: number }).status !== 401) throw error;
    }
    await client.signIn();
  }
}

function thumbOf(media: UploadedMedia): string | null {
  const smallest = media.variants.toSorted((one, other) => one.width - other.width)[0];
  return smallest?.src ?? media.src;
}

async function fetchFile(address: string, name: string): Promise<File> {
  const response = await fetch(address, { credentials: "same-origin" });
  if (!response.ok) throw new Error("This image is no longer stored. Attach it again.");
  const blob = await response.blob();
  return new File([blob], name, { type: blob.type });
}

/** The two ways to upload an image. */
function makeUploaders({ client, announce, onStored }: SenderOptions) {
  const shared = { client, limits, announce };
  const stores = {
    page: makeUploadStore<UploadedMedia>({ ...shared, send: sendFile }),
    reference: makeUploadStore({ ...shared, send: sendReference }),
  };
  function start(key: string, file: File, use: ImageUse, alt: string): string | undefined {
    if (use === "reference") {
      const onDone = ({ id }: ReferenceImage): void => onStored(key, { use, referenceId: id });
      return stores.reference.add([file], { onDone })[0];
    }
    const onDone = (media: UploadedMedia): void => {
      const { id: mediaId, src, alt: known } = media;
      onStored(key, { use, mediaId, src, alt: known, thumb: thumbOf(media) });
    };
    return stores.page.add([file], { alt, onDone })[0];
  }
  return { stores, start };
}

/** Uploads images of an instruction: to the library, or as references. */
export function createAttachmentUpload(options: SenderOptions): AttachmentUpload {
  const { client } = options;
  const { stores, start } = makeUploaders(options);
  /** Which store uploads an image, and its key there. */
  const places = new Map<string, { use: ImageUse; key: string }>();
  let states: ReadonlyMap<string, Sending> = new Map();
  const listeners = new Set<() => void>();

  function refresh(): void {
    const next = new Map<string, Sending>();
    for (const [key, place] of places) {
      const found = stores[place.use].items().find((item) => item.key === place.key);
      if (found) next.set(key, found);
    }
    states = next;
    for (const listener of listeners) listener();
  }
  for (const store of Object.values(stores)) store.subscribe(refresh);

  function drop(key: string): void {
    const place = places.get(key);
    if (!place) return;
    places.delete(key);
    stores[place.use].cancel(place.key);
    stores[place.use].dismiss([place.key]);
    refresh();
  }

  function send(key: string, file: File, use: ImageUse, alt: string): void {
    drop(key);
    const sent = start(key, file, use, alt);
    if (sent !== undefined) places.set(key, { use, key: sent });
    refresh();
  }
  function retry(key: string): void {
    const place = places.get(key);
    if (place) stores[place.use].retry(place.key);
  }
  function subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }
  return {
    send,
    retry,
    drop,
    subscribe,
    states: () => states,
    describe: async (id, alt) => void (await client.post("/api/media/update", { id, alt })),
    fetchFile,
  };
}
