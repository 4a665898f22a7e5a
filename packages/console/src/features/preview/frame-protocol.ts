import type { PickedElement } from "../../api/types.ts";
import type { ScrollPosition } from "./scroll-position.ts";

// Messages between the console and the script in a previewed page. The page isn't trusted and
// shares its window with the script, so everything it sends is untrusted data.

export type ToFrame =
  | { kind: "pick" }
  | { kind: "unpick" }
  /** Scrolls to a position; with another page's height and viewport, to the same fraction. */
  | { kind: "scroll"; top: number; height?: number; view?: number }
  | { kind: "edit"; on: boolean };

/**
 * Keys that are passed on from the frame: single ones outside of text fields, those with Ctrl or ⌘
 * always.
 */
export const frameKeys = ["p", "d", "1", "2", "3", "?", "Escape", "mod+k", "mod+shift+c"] as const;
export type FrameKey = (typeof frameKeys)[number];

export type FromFrame =
  /** A page was loaded: its path within the site, its height in px. */
  | { kind: "ready"; path: string; height: number }
  | { kind: "picked"; element: PickedElement }
  /** Escape cancelled selecting. */
  | { kind: "unpicked" }
  | ({ kind: "scrolled" } & ScrollPosition)
  | { kind: "key"; key: FrameKey }
  /** A link to another page of the preview was followed: its path with query and fragment. */
  | { kind: "link"; path: string }
  /** A link to a file was followed that the frame can't show or save: its path. */
  | { kind: "file"; path: string }
  /** A text was clicked in edit mode; `key` identifies its element until the next `ready`. */
  | { kind: "text"; text: string; key: string }
  /** A clicked text was edited. */
  | { kind: "edited"; key: string; text: string };

type Of<K extends FromFrame["kind"]> = Extract<FromFrame, { kind: K }>;

export type FrameHandlers = {
  [K in FromFrame["kind"]]?: (message: Of<K>) => void;
};

export interface FrameLink {
  send(message: ToFrame): void;
  close(): void;
}

const limits = { path: 2000, text: 10_000, key: 20 } as const;

function isText(value: unknown, max: number): value is string {
  return typeof value === "string" && value.length <= max;
}

function isLength(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value <= 1e7;
}

function isPlace(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 1_000_000;
}

/** The element that a frame reports as selected, in the server's format; null for anything else. */
export function readElement(value: unknown): PickedElement | null {
  const { file, line, column, tag, text, page } = Object(value) as Record<string, unknown>;
  if (!isText(file, 300) || !/^(?:app|brand|database)\/[^\\\p{Cc}]+$/u.test(file)) return null;
  if (!isPlace(line) || !isPlace(column)) return null;
  if (!isText(tag, 40) || !/^[a-z][a-z0-9-]*$/.test(tag)) return null;
  if (!isText(text, 300) || !isText(page, limits.path) || !page.startsWith("/")) return null;
  return { file, line, column, tag, text, page };
}

/** A frame's message reduced to known fields; null if it is invalid. */
export function readMessage(value: unknown): FromFrame | null {
  const data = Object(value) as Record<string, unknown>;
  const { kind, path, height, top, view, key, text } = data;
  switch (kind) {
    case "ready":
      return isText(path, limits.path) && path.startsWith("/") && isLength(height)
        ? { kind, path, height }
        : null;
    case "link":
    case "file":
      return isText(path, limits.path) && path.startsWith("/") ? { kind, path } : null;
    case "picked": {
      const element = readElement(data["element"]);
      return element && { kind, element };
    }
    case "unpicked":
      return { kind };
    case "scrolled":
      return isLength(top) && isLength(height) && isLength(view)
        ? { kind, top, height, view }
        : null;
    case "key": {
      const known = frameKeys.find((name) => name === key);
      return known === undefined ? null : { kind, key: known };
    }
    case "text":
    case "edited":
      return isText(text, limits.text) && isText(key, limits.key) && key !== ""
        ? { kind, key, text }
        : null;
    default:
      return null;
  }
}

/**
 * Exchanges messages with the page in a frame. Accepts only messages from the frame's own window in
 * the formats above; several listeners can share a frame. End it with `close`.
 */
export function frameMessages(iframe: HTMLIFrameElement, handlers: FrameHandlers): FrameLink {
  const onMessage = (event: MessageEvent): void => {
    if (event.source === null || event.source !== iframe.contentWindow) return;
    const message = readMessage(event.data);
    if (message === null) return;
    (handlers[message.kind] as ((message: FromFrame) => void) | undefined)?.(message);
  };
  window.addEventListener("message", onMessage);
  return {
    // The page in the frame has an opaque origin; the message contains no secrets.
    send: (message) => iframe.contentWindow?.postMessage(message, "*"),
    close: () => window.removeEventListener("message", onMessage),
  };
}
