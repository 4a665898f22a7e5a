import { useMemo, useRef } from "react";

import type { PickedElement } from "../api/types.ts";
import { usePicker } from "../features/picker/usePicker.ts";

type Receive = (element: PickedElement) => void;

/** Selects parts of the page, for any caller. */
export interface Picker {
  picking: boolean;
  /** Starts selecting; the result goes to `receive`, or to the listener. */
  start(receive?: Receive): void;
  cancel(): void;
  /** Receives results without a specific receiver; returns a function that stops. */
  listen(receive: Receive): () => void;
}

/**
 * The page's only picker, shared by composer, keys, palette, and blame. It selects on the page, or
 * in the preview while that is framed.
 */
export function usePicking(root: ShadowRoot, iframe: HTMLIFrameElement | null): Picker {
  const listener = useRef<Receive | null>(null);
  const asked = useRef<Receive | null>(null);
  const picker = usePicker({
    root,
    iframe,
    onPick: (element) => (asked.current ?? listener.current)?.(element),
  });
  const latest = useRef(picker);
  latest.current = picker;
  const { picking } = picker;
  return useMemo(
    () => ({
      picking,
      start(receive) {
        asked.current = receive ?? null;
        latest.current.start();
      },
      cancel: () => latest.current.cancel(),
      listen(receive) {
        listener.current = receive;
        return () => {
          if (listener.current === receive) listener.current = null;
        };
      },
    }),
    [picking],
  );
}
