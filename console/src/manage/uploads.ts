import { useEffect, useState, useSyncExternalStore } from "react";

import { asClientError, type Client, type ClientError } from "./client.ts";
import { useAnnounce, useClient, useSite } from "./context.tsx";
import type { MediaItem } from "./types.ts";
import {
  isActive,
  nextUploads,
  type UploadAction,
  type UploadItem,
  uploadReducer,
} from "./upload-queue.ts";
import { earlyRefusal, type UploadLimits } from "./upload-rules.ts";
import { type Resume, sendFile, type SendOptions, type Sent } from "./upload-send.ts";

export type { UploadItem, UploadStatus } from "./upload-queue.ts";

export interface AddOptions {
  /** What the pictures show, for who does not see them. */
  alt?: string;
  /** Called once for each file that is stored, or was stored already. */
  onDone?(media: MediaItem, key: string): void;
}

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

export interface UploadStoreOptions {
  client: Client;
  limits: UploadLimits;
  announce(message: string): void;
  /** Sends one file; the network's unless told. */
  send?(options: SendOptions, resume: Resume): Promise<Sent>;
}

interface Held {
  file: File;
  options: AddOptions;
  abort: AbortController;
  resume: Resume;
}

/** How often a server that asks to wait is asked again before the owner has to. */
const mostWaits = 20;
/** Codes of refusals that the same file meets again. */
const final = new Set(["unsupported_media_type", "bad_media", "too_large", "validation_failed"]);

function noteOf(sent: Sent): string | null {
  const warnings = sent.media.warnings ?? [];
  const parts = sent.created ? warnings : ["It was here already.", ...warnings];
  return parts.length > 0 ? parts.join(" ") : null;
}

/** The files on their way, at most three at once, and what can be done about them. */
export function makeUploadStore(options: UploadStoreOptions) {
  const { client, limits, announce, send = sendFile } = options;
  const held = new Map<string, Held>();
  const listeners = new Set<() => void>();
  let items: readonly UploadItem[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;

  function dispatch(action: UploadAction): void {
    items = uploadReducer(items, action);
    for (const listener of listeners) listener();
    schedule();
  }

  function schedule(): void {
    clearTimeout(timer);
    const { start, lookAgainAt } = nextUploads(items, Date.now());
    if (lookAgainAt !== null) timer = setTimeout(schedule, Math.max(50, lookAgainAt - Date.now()));
    const [key] = start;
    if (key === undefined) return;
    // Starting one schedules the next.
    dispatch({ type: "start", key });
    void run(key);
  }

  function refuse(key: string, name: string, error: ClientError): void {
    const waits = items.find((item) => item.key === key)?.waits ?? 0;
    if (error.status === 503 && error.retryAfter !== null && waits < mostWaits) {
      const seconds = Math.min(60, Math.max(1, error.retryAfter));
      const note = "The server is busy; this one is next as soon as there is room.";
      dispatch({ type: "wait", key, until: Date.now() + seconds * 1000, note });
      return;
    }
    announce(`${name} failed: ${error.message}`);
    dispatch({ type: "fail", key, error: error.message, canRetry: !final.has(error.code) });
  }

  async function run(key: string): Promise<void> {
    const entry = held.get(key);
    if (!entry) return;
    const { file, resume } = entry;
    const { signal } = entry.abort;
    try {
      const sent = await send(
        {
          file,
          alt: entry.options.alt ?? "",
          client,
          signal,
          onProgress: (status, fraction) => dispatch({ type: "progress", key, status, fraction }),
        },
        resume,
      );
      if (signal.aborted) return;
      dispatch({ type: "done", key, media: sent.media, note: noteOf(sent) });
      announce(`${file.name} is uploaded.`);
      entry.options.onDone?.(sent.media, key);
    } catch (error) {
      if (!signal.aborted) refuse(key, file.name, asClientError(error));
    }
  }

  return {
    items: () => items,
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    add(files: readonly File[], addOptions: AddOptions = {}): string[] {
      const added = files.map((file) => {
        const key = crypto.randomUUID();
        const resume = { address: null, job: null };
        held.set(key, { file, options: addOptions, abort: new AbortController(), resume });
        return { key, name: file.name, size: file.size, error: earlyRefusal(file, limits) };
      });
      for (const { name, error } of added) if (error) announce(`${name}: ${error}`);
      dispatch({ type: "add", items: added });
      return added.map((item) => item.key);
    },
    retry(key: string): void {
      const entry = held.get(key);
      if (entry?.abort.signal.aborted) {
        held.set(key, {
          ...entry,
          abort: new AbortController(),
          resume: { address: null, job: null },
        });
      }
      dispatch({ type: "retry", key });
    },
    cancel(key: string): void {
      held.get(key)?.abort.abort();
      dispatch({ type: "cancel", key });
    },
    dismiss(keys?: readonly string[]): void {
      dispatch({ type: "dismiss", keys: keys ?? items.map((item) => item.key) });
      for (const key of held.keys()) if (!items.some((item) => item.key === key)) held.delete(key);
    },
    /** Ends what is under way: nobody looks at it any more. */
    close(): void {
      clearTimeout(timer);
      for (const { abort } of held.values()) abort.abort();
    },
  };
}

/** Uploads of one part of a page. Leaving the page while some are under way asks first. */
export function useUploads(): Uploads {
  const client = useClient();
  const announce = useAnnounce();
  const limits = useSite();
  const [store] = useState(() => makeUploadStore({ client, limits, announce }));
  const items = useSyncExternalStore(store.subscribe, store.items);
  useEffect(() => store.close, [store]);
  const busy = items.some((item) => isActive(item) || item.status === "queued");
  useEffect(() => {
    if (!busy) return;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [busy]);
  const { add, retry, cancel, dismiss } = store;
  return { items, busy, add, retry, cancel, dismiss };
}
