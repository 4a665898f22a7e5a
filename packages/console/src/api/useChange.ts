import {
  type QueryClient,
  type QueryKey,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";

import type { Client } from "./client.ts";
import { useAnnounce, useClient } from "./context.tsx";

export interface ChangeOptions<Sent, Answer> {
  /** Sends the change to the server; throws when the server refuses it. */
  send(client: Client, sent: Sent): Promise<Answer>;
  /** Writes the answer into the query cache. */
  updateCache?(queries: QueryClient, answer: Answer, sent: Sent): void;
  /** The text that screen readers announce after the change. */
  announcement?(answer: Answer, sent: Sent): string;
  /** Queries refetched after the change, successful or not, before it counts as settled. */
  awaited?: readonly QueryKey[];
  /** Queries refetched as well, without waiting for them. */
  stale?: readonly QueryKey[];
  onError?(): unknown;
  /** Changes with the same scope are sent one after the other. */
  scope?: { id: string };
  /** How long the answer is kept, in ms. */
  gcTime?: number;
}

/** A mutation that announces its success and refetches the queries it affects. */
export function useChange<Sent = void, Answer = unknown>(options: ChangeOptions<Sent, Answer>) {
  const { send, updateCache, announcement, awaited = [], stale = [], ...rest } = options;
  const client = useClient();
  const queries = useQueryClient();
  const announce = useAnnounce();
  const refresh = (keys: readonly QueryKey[]): Promise<unknown> =>
    Promise.all(keys.map((queryKey) => queries.invalidateQueries({ queryKey })));
  return useMutation<Answer, Error, Sent>({
    ...rest,
    mutationFn: (sent) => send(client, sent),
    onSuccess(answer, sent) {
      updateCache?.(queries, answer, sent);
      if (announcement) announce(announcement(answer, sent));
    },
    onSettled() {
      void refresh(stale);
      return refresh(awaited);
    },
  });
}
