import { useState } from "react";

import { type ApiError, asApiError } from "./client.ts";

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
        const refused = asApiError(cause);
        // The shell asks for the password; what was written is kept, to be sent again.
        if (refused.status !== 401) setError(refused);
      } finally {
        setPending(null);
      }
    },
  };
}
