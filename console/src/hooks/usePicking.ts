import { useMemo, useRef, useState } from "react";

import type { PickedElement } from "../types.ts";

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

/** The one picker of the page, shared by composer, keys, palette and blame. */
export function usePicking(): Picker {
  const [picking, setPicking] = useState(false);
  const listener = useRef<Receive | null>(null);
  const asked = useRef<Receive | null>(null);
  return useMemo(
    () => ({
      picking,
      start(receive) {
        asked.current = receive ?? null;
        setPicking(true);
      },
      cancel: () => setPicking(false),
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
