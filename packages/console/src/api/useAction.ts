import { useMutation } from "@tanstack/react-query";

import { type ApiError, asApiError, sessionEnded } from "./client.ts";

export interface Action {
  /** The name of the running request. */
  pending: string | null;
  error: ApiError | null;
  /** Does the work unless something is running; sets `error` if it fails. */
  perform(name: string, work: () => Promise<unknown>): void;
}

/**
 * Why something was refused; null while the shell asks for the password, because it is then
 * repeated.
 */
export function refusalOf(error: unknown): ApiError | null {
  if (error === null) return null;
  const refusal = asApiError(error);
  return refusal.code === sessionEnded ? null : refusal;
}

/** Requests from a group of buttons, one at a time. */
export function useAction(): Action {
  const { isPending, variables, error, mutate } = useMutation({
    mutationFn: async (job: { name: string; work(): Promise<unknown> }) => job.work(),
  });
  return {
    pending: isPending ? variables.name : null,
    error: refusalOf(error),
    perform(name, work) {
      if (!isPending) mutate({ name, work });
    },
  };
}
