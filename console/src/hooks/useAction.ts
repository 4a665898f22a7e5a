import { useState } from "react";

import { ApiError } from "../api.ts";
import { useConsole } from "../context.ts";

export interface Action {
  /** The name of what is under way. */
  pending: string | null;
  error: ApiError | null;
  clear(): void;
  /** Does the work unless something is under way; its refusal becomes `error`. */
  perform(name: string, work: () => Promise<void>): Promise<void>;
}

/** Requests that a button starts, one at a time. */
export function useAction(): Action {
  const { expire } = useConsole();
  const [pending, setPending] = useState<string | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  return {
    pending,
    error,
    clear: () => setError(null),
    async perform(name, work) {
      if (pending !== null) return;
      setPending(name);
      setError(null);
      try {
        await work();
      } catch (cause) {
        const refused =
          cause instanceof ApiError
            ? cause
            : new ApiError("internal", "Something went wrong here.");
        if (refused.status === 401) expire();
        else setError(refused);
      } finally {
        setPending(null);
      }
    },
  };
}
