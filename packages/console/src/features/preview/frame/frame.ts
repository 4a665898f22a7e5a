/**
 * Runs in the pages of a preview, beside their own scripts and with no more rights than these: it
 * picks elements, scrolls, passes keys on and lets texts be edited for the console around it. It
 * hears only that console's window.
 */
import { hasModifierKey } from "../../../ui/key-names.ts";
import { startPicking } from "../../picker/layer.ts";
import { makeEditing } from "./editing.ts";
import { type FromFrame, frameKeys, type ToFrame } from "../frame-protocol.ts";
import { scrollPositionFor, type ScrollPosition } from "../scroll-position.ts";

/** A path within the site: `/_preview/<id>/~<ticket>/about/` shows `/about/`. */
function pathOf({ pathname }: Location | HTMLAnchorElement): string {
  return pathname.replace(/^\/_preview\/[^/]+(?:\/~[^/]+)?(?=\/)/, "") || "/";
}

const path = pathOf(location);

function tell(message: FromFrame): void {
  // The document's origin is opaque; its address is one of the console's own.
  parent.postMessage(message, location.origin);
}

function measure(): ScrollPosition {
  const { scrollHeight, clientHeight } = document.documentElement;
  return { top: Math.max(0, scrollY), height: scrollHeight, view: clientHeight };
}

let stopPicking = (): void => {};

/** The outline is drawn in a root of its own, which is there only while something is picked. */
function pick(): void {
  stopPicking();
  const host = document.createElement("vitrine-pick");
  document.documentElement.append(host);
  const root = host.attachShadow({ mode: "closed" });
  const end = (message: FromFrame | null): void => {
    host.remove();
    stopPicking = () => {};
    if (message) tell(message);
  };
  const stop = startPicking({
    root,
    path,
    onPick: (element) => end({ kind: "picked", element }),
    onLeave: () => end({ kind: "unpicked" }),
  });
  stopPicking = () => {
    stop();
    end(null);
  };
}

/** Where the console has scrolled to: arriving there is no news for it. */
let arrived: number | null = null;

function scroll(message: Extract<ToFrame, { kind: "scroll" }>): void {
  arrived = Math.round(scrollPositionFor(message, measure()));
  scrollTo({ top: arrived, behavior: "instant" });
}

let due = false;
function onScroll(): void {
  if (due) return;
  due = true;
  requestAnimationFrame(() => {
    due = false;
    const place = measure();
    if (arrived !== null && Math.abs(place.top - arrived) < 2) return;
    arrived = null;
    tell({ kind: "scrolled", ...place });
  });
}

function isTyping(target: EventTarget | null): boolean {
  const element = target instanceof HTMLElement ? target : null;
  return (
    element !== null && (element.isContentEditable || element.matches("input, textarea, select"))
  );
}

function onKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.altKey) return;
  const chord = hasModifierKey(event);
  if (!chord && (event.ctrlKey || event.metaKey || isTyping(event.target))) return;
  const letter = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const pressed = chord ? `mod+${event.shiftKey ? "shift+" : ""}${letter}` : letter;
  const key = frameKeys.find((name) => name === pressed);
  if (key === undefined) return;
  // The browser has uses of its own for these.
  if (chord) event.preventDefault();
  tell({ kind: "key", key });
}

/** No browser shows a PDF in a frame without an origin, or saves one from there. */
function onClick(event: MouseEvent): void {
  const [target] = event.composedPath();
  const link = target instanceof Element ? target.closest("a") : null;
  if (event.defaultPrevented || !link || !/\.pdf$/i.test(link.pathname)) return;
  if (link.host !== location.host) return;
  event.preventDefault();
  tell({ kind: "file", path: pathOf(link) });
}

function start(): void {
  const editing = makeEditing(tell);
  addEventListener("message", ({ source, origin, data }: MessageEvent<ToFrame>) => {
    if (source !== parent || origin !== location.origin || typeof data !== "object") return;
    if (data?.kind === "pick") pick();
    if (data?.kind === "unpick") stopPicking();
    if (data?.kind === "scroll") scroll(data);
    if (data?.kind === "edit") editing.setEnabled(data.on);
  });
  addEventListener("scroll", onScroll, { passive: true });
  addEventListener("keydown", onKey);
  addEventListener("click", onClick);
  const ready = () => tell({ kind: "ready", path, height: measure().height });
  addEventListener("pageshow", ({ persisted }) => persisted && ready());
  ready();
}

// In a tab of its own a preview is framed by a page that has no console and hears nothing.
if (parent !== window && window.name !== "vitrine-preview-tab") start();
