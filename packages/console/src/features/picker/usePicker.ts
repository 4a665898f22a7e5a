import { useCallback, useEffect, useRef, useState } from "react";

import type { PickedElement } from "../../api/types.ts";
import { frameMessages } from "../preview/frame-protocol.ts";
import type { PickOptions } from "./layer.ts";

export interface PickerOptions {
  /** The console's shadow root: the outline is drawn there, the page itself is not changed. */
  root: ShadowRoot;
  /** The frame with the preview while it shows: picking happens there. Null: on the page under the console. */
  iframe: HTMLIFrameElement | null;
  onPick(element: PickedElement): void;
}

export interface Picker {
  /** Meanwhile the page must be neither covered nor inert: hide the dock where it covers the page. */
  picking: boolean;
  start(): void;
  cancel(): void;
}

/** Picks in a framed preview: its own script shows what is pointed at. Gives what ends it. */
function pickInFrame(
  iframe: HTMLIFrameElement,
  onPick: (element: PickedElement) => void,
  onLeave: () => void,
): () => void {
  const link = frameMessages(iframe, {
    // The owner has followed a link meanwhile, or the page was not there yet.
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

/** Picks on the page under the console, with what is loaded behind the console's first screen. Gives what ends it. */
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

/** Picking is left with Escape wherever the focus is, before Escape means anything else. */
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
 * Lets the owner point at an element: mouse, touch or keys (arrows walk the page, Enter picks, Escape
 * leaves). One start picks one element.
 */
export function usePicker({ root, iframe, onPick }: PickerOptions): Picker {
  const [picking, setPicking] = useState(false);
  const latest = useRef(onPick);
  useEffect(() => {
    latest.current = onPick;
  });
  // Whoever picks points at once: what comes late would miss the first click.
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
