import { useMutation } from "@tanstack/react-query";

import { type ApiError, asApiError, sessionEnded } from "./client.ts";

export interface Action {
  /** The name of what is under way. */
  pending: string | null;
  error: ApiError | null;
  /** Does the work unless something is under way; its refusal becomes `error`. */
  perform(name: string, work: () => Promise<unknown>): void;
}

/** Why something was refused; null where the shell asks for the password, and it is sent again. */
export function refusalOf(error: unknown): ApiError | null {
  if (error === null) return null;
  const refusal = asApiError(error);
  return refusal.code === sessionEnded ? null : refusal;
}

/** Requests that a group of buttons starts, one at a time. */
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
