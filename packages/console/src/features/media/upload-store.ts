import { asApiError, type Client, type ApiError } from "../../api/client.ts";
import type { MediaItem, UploadedMedia } from "../../api/types.ts";
import { pageLeft, type Resume, type SendOptions, type Sent } from "./send-file.ts";
import { nextUploads, type UploadAction, type UploadItem, uploadReducer } from "./upload-queue.ts";
import { validateFile, type UploadLimits } from "./upload-rules.ts";

export interface AddOptions<M = MediaItem> {
  /** The alt text of the images. */
  alt?: string;
  /** Called once for each file that is stored now or was already. */
  onDone?(media: M, key: string): void;
}

export interface UploadStoreOptions<M> {
  client: Client;
  limits: UploadLimits;
  announce(message: string): void;
  /** Sends one file to its destination. */
  send(options: SendOptions, resume: Resume): Promise<Sent<M>>;
}

interface Held<M> {
  file: File;
  options: AddOptions<M>;
  abort: AbortController;
  resume: Resume;
}

/** A server response that can contain warnings. */
type Warned = Pick<UploadedMedia, "warnings">;

/** How often to wait when the server asks for it before giving up: about ten minutes. */
const maxWaits = 50;
/** Errors that the same file would cause again, unless it was only too slow. */
const final = new Set(["unsupported_media_type", "bad_media", "too_large", "validation_failed"]);

function noteOf(sent: Sent<Warned>): string | null {
  const warnings = sent.media.warnings ?? [];
  const parts = sent.created ? warnings : ["It was already in the library.", ...warnings];
  return parts.length > 0 ? parts.join(" ") : null;
}

/** What happens after an error: waiting if the server asks for it, otherwise failure. */
function afterRefusal(
  key: string,
  error: ApiError,
  waits: number,
  now: number,
): UploadAction<never> {
  if (error.status === 503 && error.retryAfter !== null && waits < maxWaits) {
    // The pause grows with each wait.
    const seconds = Math.min(60, Math.max(1, error.retryAfter, Math.min(15, waits)));
    const note = "The server is busy. This upload starts as soon as there’s room.";
    return { type: "wait", key, until: now + seconds * 1000, note };
  }
  const isSlow = (error.details as { reason?: unknown } | null)?.reason === "timeout";
  return { type: "fail", key, error: error.message, canRetry: isSlow || !final.has(error.code) };
}

const initialState = () => ({
  abort: new AbortController(),
  resume: { address: null, job: null } satisfies Resume as Resume,
});

/** The list with its timer: starts due uploads and notifies listeners. */
function makeQueue<M>(start: (key: string) => void) {
  const listeners = new Set<() => void>();
  let items: readonly UploadItem<M>[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  function take(action: UploadAction<M>): void {
    items = uploadReducer(items, action);
    for (const listener of listeners) listener();
  }
  function schedule(): void {
    clearTimeout(timer);
    const due = nextUploads(items, Date.now());
    if (due.lookAgainAt !== null) {
      timer = setTimeout(schedule, Math.max(50, due.lookAgainAt - Date.now()));
    }
    for (const key of due.start) take({ type: "start", key });
    due.start.forEach(start);
  }
  function dispatch(action: UploadAction<M>): void {
    take(action);
    schedule();
  }
  return {
    items: () => items,
    dispatch,
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    stop: () => clearTimeout(timer),
  };
}

/** Uploads, at most three at once, and their actions. */
export function makeUploadStore<M extends Warned>(options: UploadStoreOptions<M>) {
  const { client, limits, announce, send } = options;
  const held = new Map<string, Held<M>>();
  const { dispatch, items, subscribe, stop } = makeQueue<M>((key) => void run(key));
  let count = 0;

  async function run(key: string): Promise<void> {
    const entry = held.get(key);
    if (!entry) return;
    const { file, resume, options: own, abort } = entry;
    const { signal } = abort;
    const onProgress: SendOptions["onProgress"] = (status, fraction, note) => {
      if (!signal.aborted) dispatch({ type: "progress", key, status, fraction, note });
    };
    try {
      const sent = await send({ file, alt: own.alt ?? "", client, signal, onProgress }, resume);
      if (signal.aborted) return;
      dispatch({ type: "done", key, media: sent.media, note: noteOf(sent) });
      announce(`${file.name} uploaded.`);
      own.onDone?.(sent.media, key);
    } catch (cause) {
      if (signal.aborted) return;
      const waits = items().find((item) => item.key === key)?.waits ?? 0;
      const action = afterRefusal(key, asApiError(cause), waits, Date.now());
      if (action.type === "fail") announce(`${file.name} failed: ${action.error}`);
      dispatch(action);
    }
  }

  return {
    items,
    subscribe,
    add(files: readonly File[], addOptions: AddOptions<M> = {}): string[] {
      const added = files.map((file) => {
        const key = `upload-${(count += 1)}`;
        held.set(key, { file, options: addOptions, ...initialState() });
        return { key, name: file.name, size: file.size, error: validateFile(file, limits) };
      });
      for (const { name, error } of added) if (error) announce(`${name}: ${error}`);
      dispatch({ type: "add", items: added });
      return added.map((item) => item.key);
    },
    retry(key: string): void {
      const entry = held.get(key);
      if (entry?.abort.signal.aborted) held.set(key, { ...entry, ...initialState() });
      dispatch({ type: "retry", key });
    },
    cancel(key: string): void {
      held.get(key)?.abort.abort();
      dispatch({ type: "cancel", key });
    },
    dismiss(keys?: readonly string[]): void {
      dispatch({ type: "dismiss", keys: keys ?? items().map((item) => item.key) });
      const left = new Set(items().map((item) => item.key));
      for (const key of held.keys()) if (!left.has(key)) held.delete(key);
    },
    /**
     * Stops sending, because nobody is watching any more. What the server has received completely, it
     * still stores.
     */
    close(): void {
      stop();
      for (const { abort } of held.values()) abort.abort(pageLeft);
    },
  };
}
