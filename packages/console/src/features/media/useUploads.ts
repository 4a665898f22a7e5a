import { useEffect, useState, useSyncExternalStore } from "react";

import { useAnnounce, useClient, useUploadLimits } from "../../api/context.tsx";
import { sendFile } from "./send-file.ts";
import { isActive, type UploadItem } from "./upload-queue.ts";
import { type AddOptions, makeUploadStore } from "./upload-store.ts";

export type { AddOptions } from "./upload-store.ts";
export type { UploadItem } from "./upload-queue.ts";

export interface Uploads {
  items: readonly UploadItem[];
  /** Whether something would be lost by leaving the page. */
  busy: boolean;
  /** Takes files; gives their keys, in the order of the files. */
  add(files: readonly File[], options?: AddOptions): string[];
  retry(key: string): void;
  cancel(key: string): void;
  /** Takes what is settled from the list; all of it unless keys are told. */
  dismiss(keys?: readonly string[]): void;
}

/** Uploads of one part of a page, which has to ask before it is left while they are `busy`. */
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
