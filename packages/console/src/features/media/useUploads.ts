import { useEffect, useState, useSyncExternalStore } from "react";

import { useAnnounce, useClient, useUploadLimits } from "../../api/context.tsx";
import { sendFile } from "./send-file.ts";
import { isActive, type UploadItem } from "./upload-queue.ts";
import { type AddOptions, makeUploadStore } from "./upload-store.ts";

export type { AddOptions } from "./upload-store.ts";
export type { UploadItem } from "./upload-queue.ts";

export interface Uploads {
  items: readonly UploadItem[];
  /** Whether leaving the page would lose something. */
  busy: boolean;
  /** Adds files; returns their keys in order. */
  add(files: readonly File[], options?: AddOptions): string[];
  retry(key: string): void;
  cancel(key: string): void;
  /** Removes finished uploads from the list; by default all of them. */
  dismiss(keys?: readonly string[]): void;
}

/** The uploads of one part of a page, which asks before it is left while they are `busy`. */
export function useUploads(): Uploads {
  const client = useClient();
  const announce = useAnnounce();
  const limits = useUploadLimits();
  const [store] = useState(() => makeUploadStore({ client, limits, announce, send: sendFile }));
  const items = useSyncExternalStore(store.subscribe, store.items);
  useEffect(() => store.close, [store]);
  const busy = items.some((item) => isActive(item) || item.status === "queued");
  const { add, retry, cancel, dismiss } = store;
  return { items, busy, add, retry, cancel, dismiss };
}
