import { useCallback, useEffect, useRef, useState } from "react";

import { pause, whenVisible } from "../ui/visibility.ts";
import { type ApiError, asApiError } from "./client.ts";

export interface Polling {
  /** Why the last look failed. */
  error: ApiError | null;
  /** Looks again at once. */
  refresh(): void;
}

/**
 * Looks again and again while the browser's tab is seen, each time `every` ms after the last; with
 * another `ask` at once.
 */
export function usePolling(ask: (signal: AbortSignal) => Promise<void>, every: number): Polling {
  const [error, setError] = useState<ApiError | null>(null);
  const wake = useRef<() => void>(() => {});
  const asked = useRef(false);
  const refresh = useCallback(() => {
    asked.current = true;
    wake.current();
  }, []);
  useEffect(() => {
    const abort = new AbortController();
    const { signal } = abort;
    async function follow(): Promise<void> {
      while (!signal.aborted) {
        await whenVisible(signal);
        if (signal.aborted) return;
        asked.current = false;
        try {
          await ask(signal);
          if (signal.aborted) return;
          setError(null);
        } catch (cause) {
          if (signal.aborted) return;
          setError(asApiError(cause));
        }
        // Somebody has changed something while the answer was on its way.
        if (asked.current) continue;
        await pause(every, signal, (end) => (wake.current = end));
      }
    }
    void follow();
    return () => abort.abort();
  }, [ask, every]);
  return { error, refresh };
}
