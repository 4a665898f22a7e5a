import { useMemo, useRef } from "react";

import type { PickedElement } from "../api/types.ts";
import { usePicker } from "../features/picker/usePicker.ts";

type Receive = (element: PickedElement) => void;

/** Points at parts of the page, for whoever asks. */
export interface Picker {
  picking: boolean;
  /** Begins to pick; what is picked goes to `receive`, without one to whoever listens. */
  start(receive?: Receive): void;
  cancel(): void;
  /** Takes what is picked for nobody in particular; gives what ends that. */
  listen(receive: Receive): () => void;
}

/**
 * The one picker of the page, shared by composer, keys, palette and blame: it points at the page, or
 * at the preview while that is framed.
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
