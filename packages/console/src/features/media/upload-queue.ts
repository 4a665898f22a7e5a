import type { MediaItem } from "../../api/types.ts";

export type UploadStatus = "queued" | "sending" | "working" | "done" | "failed" | "cancelled";

/** A file being uploaded, and its result. */
export interface UploadItem<M = MediaItem> {
  key: string;
  name: string;
  /** In bytes. */
  size: number;
  status: UploadStatus;
  /** From 0 to 1 within the current status; null if unknown. */
  fraction: number | null;
  media: M | null;
  /** The server's error message. */
  error: string | null;
  /** Whether sending it again can help. */
  canRetry: boolean;
  /** Other information: a wait, a fixed problem, a file that was stored already. */
  note: string | null;
  /** Earliest time to send it, in ms. */
  notBefore: number;
  /** How often the server has asked to wait. */
  waits: number;
}

export type UploadAction<M = MediaItem> =
  | { type: "add"; items: readonly Pick<UploadItem, "key" | "name" | "size" | "error">[] }
  | { type: "start"; key: string }
  | {
      type: "progress";
      key: string;
      status: "sending" | "working";
      fraction: number | null;
      note?: string | undefined;
    }
  | { type: "done"; key: string; media: M; note: string | null }
  | { type: "fail"; key: string; error: string; canRetry: boolean }
  | { type: "wait"; key: string; until: number; note: string }
  | { type: "cancel"; key: string }
  | { type: "retry"; key: string }
  | { type: "dismiss"; keys: readonly string[] };

/** Maximum concurrent uploads. */
export const maxConcurrentUploads = 3;

export const isActive = (item: Pick<UploadItem, "status">): boolean =>
  item.status === "sending" || item.status === "working";

/** Whether nothing more will happen automatically. */
export const isSettled = (item: Pick<UploadItem, "status">): boolean =>
  item.status === "done" || item.status === "failed" || item.status === "cancelled";

const fresh = {
  status: "queued",
  fraction: null,
  media: null,
  error: null,
  canRetry: true,
  note: null,
  notBefore: 0,
  waits: 0,
} as const;

function change<M>(item: UploadItem<M>, action: UploadAction<M>): UploadItem<M> {
  switch (action.type) {
    case "start":
      return item.status === "queued"
        ? { ...item, status: "sending", fraction: 0, note: null }
        : item;
    case "progress":
      if (!isActive(item)) return item;
      return {
        ...item,
        status: action.status,
        fraction: action.fraction,
        note: action.note ?? null,
      };
    case "done": {
      if (!isActive(item)) return item;
      const { media, note } = action;
      return { ...item, status: "done", fraction: 1, media, note, error: null };
    }
    case "fail": {
      if (!isActive(item)) return item;
      const { error, canRetry } = action;
      return { ...item, status: "failed", fraction: null, error, canRetry };
    }
    case "wait": {
      if (!isActive(item)) return item;
      const { note, until } = action;
      const waits = item.waits + 1;
      return { ...item, status: "queued", fraction: null, note, notBefore: until, waits };
    }
    case "cancel":
      return isSettled(item) ? item : { ...item, ...fresh, status: "cancelled" };
    case "retry":
      if (item.status !== "cancelled" && !(item.status === "failed" && item.canRetry)) return item;
      return { ...item, ...fresh };
    default:
      return item;
  }
}

/** Updates the uploads after an event; late events change nothing. */
export function uploadReducer<M>(
  items: readonly UploadItem<M>[],
  action: UploadAction<M>,
): readonly UploadItem<M>[] {
  if (action.type === "add") {
    const added = action.items.map(({ key, name, size, error }): UploadItem<M> => {
      const item = { key, name, size, ...fresh };
      return error === null ? item : { ...item, status: "failed", error, canRetry: false };
    });
    return [...items, ...added];
  }
  if (action.type === "dismiss") {
    return items.filter((item) => !(action.keys.includes(item.key) && isSettled(item)));
  }
  return items.map((item) => (item.key === action.key ? change(item, action) : item));
}

/**
 * The files to send now, in order, and when to check again because one has to wait; null if none
 * does.
 */
export function nextUploads(
  items: readonly Pick<UploadItem, "key" | "status" | "notBefore">[],
  now: number,
): { start: string[]; lookAgainAt: number | null } {
  const free = Math.max(0, maxConcurrentUploads - items.filter(isActive).length);
  const queued = items.filter((item) => item.status === "queued");
  const due = queued.filter((item) => item.notBefore <= now);
  const later = queued.filter((item) => item.notBefore > now).map((item) => item.notBefore);
  return {
    start: due.slice(0, free).map((item) => item.key),
    lookAgainAt: later.length > 0 ? Math.min(...later) : null,
  };
}
