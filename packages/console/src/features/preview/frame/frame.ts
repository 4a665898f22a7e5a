/**
 * Runs in previewed pages with the same rights as their own scripts: it selects elements, scrolls,
 * passes keys on, and makes texts editable for the surrounding console. It accepts messages only
 * from that console's window.
 */
import { hasModifierKey } from "../../../ui/key-names.ts";
import { startPicking } from "../../picker/layer.ts";
import { makeEditing } from "./editing.ts";
import { type FromFrame, frameKeys, type ToFrame } from "../frame-protocol.ts";
import { scrollPositionFor, type ScrollPosition } from "../scroll-position.ts";

/** A path within the site: `/_preview/<id>/about/`, with or without a ticket, is `/about/`. */
function pathOf({ pathname }: Location | URL): string {
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

/** The outline is drawn in a shadow root that exists only while selecting. */
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

/** Where the console has scrolled to, so that arriving there isn't reported back. */
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
  // Browsers use these keys themselves.
  if (chord) event.preventDefault();
  tell({ kind: "key", key });
}

/** The clicked link and its target; null if it doesn't lead to this server. */
function linkOf(event: Event): { link: Element; target: URL } | null {
  const [clicked] = event.composedPath();
  const link = clicked instanceof Element ? clicked.closest("a, area") : null;
  const href = link?.getAttribute("href") ?? link?.getAttribute("xlink:href") ?? null;
  if (!link || href === null || !URL.canParse(href, document.baseURI)) return null;
  const target = new URL(href, document.baseURI);
  return target.host === location.host ? { link, target } : null;
}

/**
 * Preview pages need the session, which browsers send only when the console navigates the frame.
 * Browsers don't show PDFs in, or save files from, a frame with an opaque origin.
 */
function onClick(event: MouseEvent): void {
  const found = linkOf(event);
  if (event.defaultPrevented || event.button !== 0 || found === null) return;
  const { link, target } = found;
  const isFile = /\.pdf$/i.test(target.pathname) || link.hasAttribute("download");
  const opensTab = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
  const to = pathOf(target);
  const isHere = to === path && target.search === location.search && target.hash !== "";
  if (!isFile && (opensTab || isHere)) return;
  event.preventDefault();
  if (isFile) tell({ kind: "file", path: to });
  else tell({ kind: "link", path: to + target.search + target.hash });
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
  const ready = () => tell({ kind: "ready", path, height: measure().height });
  addEventListener("pageshow", ({ persisted }) => persisted && ready());
  ready();
}

if (parent !== window) addEventListener("click", onClick);
// In its own tab, a preview is framed by a page without a console, which only follows links.
if (parent !== window && window.name !== "vitrine-preview-tab") start();
