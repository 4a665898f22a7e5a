import { useCallback, useEffect, useRef, useState } from "react";

import type { PickedElement } from "../../api/types.ts";
import { frameMessages } from "../preview/frame-protocol.ts";
import type { PickOptions } from "./layer.ts";

export interface PickerOptions {
  /** The console's shadow root, in which the outline is drawn, so that the page isn't changed. */
  root: ShadowRoot;
  /**
   * The preview's frame while it is shown, which is then used for selecting; null for the page
   * under the console.
   */
  iframe: HTMLIFrameElement | null;
  onPick(element: PickedElement): void;
}

export interface Picker {
  /** While true, the page must not be covered or inert: hide the dock if it covers the page. */
  picking: boolean;
  start(): void;
  cancel(): void;
}

/**
 * Selects in a framed preview, whose own script shows the outline. Returns a function that ends it.
 */
function pickInFrame(
  iframe: HTMLIFrameElement,
  onPick: (element: PickedElement) => void,
  onLeave: () => void,
): () => void {
  const link = frameMessages(iframe, {
    // The owner has followed a link, or the page wasn't loaded yet.
    ready: () => start(),
    picked: ({ element }) => onPick(element),
    unpicked: onLeave,
  });
  function start(): void {
    link.send({ kind: "pick" });
    iframe.focus({ preventScroll: true });
  }
  start();
  return () => {
    link.send({ kind: "unpick" });
    link.close();
  };
}

const loadLayer = () => import("./layer.ts");

/**
 * Selects on the page under the console, with lazily loaded code. Returns a function that ends it.
 */
function pickHere(options: PickOptions): () => void {
  let stop: (() => void) | null = null;
  let ended = false;
  async function start(): Promise<void> {
    try {
      const { startPicking } = await loadLayer();
      if (!ended) stop = startPicking(options);
    } catch {
      // There is no connection, or a release has replaced the file.
      options.onLeave();
    }
  }
  void start();
  return () => {
    ended = true;
    stop?.();
  };
}

/** Escape ends selecting wherever the focus is, before it does anything else. */
function onEscape(leave: () => void): () => void {
  const onKey = (event: KeyboardEvent): void => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopImmediatePropagation();
    leave();
  };
  window.addEventListener("keydown", onKey, true);
  return () => window.removeEventListener("keydown", onKey, true);
}

/**
 * Lets the owner select an element with mouse, touch, or keys (arrows move, Enter selects, Escape
 * cancels). Each start selects one element.
 */
export function usePicker({ root, iframe, onPick }: PickerOptions): Picker {
  const [picking, setPicking] = useState(false);
  const latest = useRef(onPick);
  useEffect(() => {
    latest.current = onPick;
  });
  // Loaded early, because users click immediately.
  useEffect(() => void loadLayer().catch(() => {}), []);
  const cancel = useCallback(() => setPicking(false), []);
  const start = useCallback(() => setPicking(true), []);
  useEffect(() => {
    if (!picking) return;
    const picked = (element: PickedElement): void => {
      setPicking(false);
      latest.current(element);
    };
    const stop =
      iframe === null
        ? pickHere({ root, path: location.pathname, onPick: picked, onLeave: cancel })
        : pickInFrame(iframe, picked, cancel);
    const ignore = onEscape(cancel);
    return () => {
      ignore();
      stop();
    };
  }, [picking, iframe, root, cancel]);
  return { picking, start, cancel };
}
