import {
  type QueryClient,
  type QueryKey,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";

import type { Client } from "./client.ts";
import { useAnnounce, useClient } from "./context.tsx";

export interface ChangeOptions<Sent, Answer> {
  /** Asks the server for the change; what it refuses is thrown. */
  send(client: Client, sent: Sent): Promise<Answer>;
  /** Takes what was answered over into what is known. */
  keep?(queries: QueryClient, answer: Answer, sent: Sent): void;
  /** What is said to who listens once it is done. */
  said?(answer: Answer, sent: Sent): string;
  /** What is asked for again, whatever came of the change, before that counts as over. */
  awaited?: readonly QueryKey[];
  /** What is asked for again as well, without waiting for it. */
  stale?: readonly QueryKey[];
  onError?(): unknown;
  /** Changes of the same scope are sent one after the other. */
  scope?: { id: string };
  /** How long the answer is kept, in ms. */
  gcTime?: number;
}

/** A change that the server is asked for: it is told when it is done, and what it touches follows. */
export function useChange<Sent = void, Answer = unknown>(options: ChangeOptions<Sent, Answer>) {
  const { send, keep, said, awaited = [], stale = [], ...rest } = options;
  const client = useClient();
  const queries = useQueryClient();
  const announce = useAnnounce();
  const refresh = (keys: readonly QueryKey[]): Promise<unknown> =>
    Promise.all(keys.map((queryKey) => queries.invalidateQueries({ queryKey })));
  return useMutation<Answer, Error, Sent>({
    ...rest,
    mutationFn: (sent) => send(client, sent),
    onSuccess(answer, sent) {
      keep?.(queries, answer, sent);
      if (said) announce(said(answer, sent));
    },
    onSettled() {
      void refresh(stale);
      return refresh(awaited);
    },
  });
}
