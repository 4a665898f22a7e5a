import type { PickedElement } from "../../api/types.ts";
import type { ScrollPosition } from "./scroll-position.ts";

// What the console and the script in a preview's page say to each other. The page is not trusted and
// shares its window with the script: whatever comes from there is data of an unknown author.

export type ToFrame =
  | { kind: "pick" }
  | { kind: "unpick" }
  /** Scrolls to a place; with another page's height and view, to the same share of the way. */
  | { kind: "scroll"; top: number; height?: number; view?: number }
  | { kind: "edit"; on: boolean };

/**
 * The keys that are passed on when they are pressed in the frame: single ones while nothing is being
 * typed there, those with Ctrl or ⌘ always.
 */
export const frameKeys = ["p", "d", "1", "2", "3", "?", "Escape", "mod+k", "mod+shift+c"] as const;
export type FrameKey = (typeof frameKeys)[number];

export type FromFrame =
  /** A page has been loaded: its path within the site, its height in px. */
  | { kind: "ready"; path: string; height: number }
  | { kind: "picked"; element: PickedElement }
  /** Picking was left with Escape. */
  | { kind: "unpicked" }
  | ({ kind: "scrolled" } & ScrollPosition)
  | { kind: "key"; key: FrameKey }
  /** A link to another page of the preview was followed: its path with query and fragment. */
  | { kind: "link"; path: string }
  /** A link to a file was followed that such a frame can neither show nor save: its path. */
  | { kind: "file"; path: string }
  /** A text was clicked in edit mode; `key` names its element until the next `ready`. */
  | { kind: "text"; text: string; key: string }
  /** A text that was clicked now reads otherwise. */
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

/** The element that a frame says was picked, in the shape the server takes; null for anything else. */
export function readElement(value: unknown): PickedElement | null {
  const { file, line, column, tag, text, page } = Object(value) as Record<string, unknown>;
  if (!isText(file, 300) || !/^(?:app|brand|database)\/[^\\\p{Cc}]+$/u.test(file)) return null;
  if (!isPlace(line) || !isPlace(column)) return null;
  if (!isText(tag, 40) || !/^[a-z][a-z0-9-]*$/.test(tag)) return null;
  if (!isText(text, 300) || !isText(page, limits.path) || !page.startsWith("/")) return null;
  return { file, line, column, tag, text, page };
}

/** A message of a frame, with known fields only; null for what is none. */
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
 * Listens to the page in a frame and speaks to it. Only what this frame's own window sends is heard,
 * and only in the shapes above; several may listen to one frame. Ends with `close`.
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
    // The page in the frame has an origin that no address names; nothing here is secret.
    send: (message) => iframe.contentWindow?.postMessage(message, "*"),
    close: () => window.removeEventListener("message", onMessage),
  };
}
