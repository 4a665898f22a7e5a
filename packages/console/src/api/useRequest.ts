import { useEffect, useState } from "react";

import { type ApiError, asApiError } from "./client.ts";

export interface Request<T> {
  /** Null until there is an answer; kept while it is asked for again. */
  data: T | null;
  error: ApiError | null;
  retry(): void;
}

/** Asks once, and again when `ask` changes or `retry` is called. */
export function useRequest<T>(ask: (signal: AbortSignal) => Promise<T>): Request<T> {
  const [data, setData] = useState<T | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    const abort = new AbortController();
    const { signal } = abort;
    async function read(): Promise<void> {
      try {
        const found = await ask(signal);
        if (signal.aborted) return;
        setError(null);
        setData(found);
      } catch (cause) {
        if (!signal.aborted) setError(asApiError(cause));
      }
    }
    void read();
    return () => abort.abort();
  }, [ask, attempt]);
  return { data, error, retry: () => setAttempt((before) => before + 1) };
}
