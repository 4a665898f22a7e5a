import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useSyncExternalStore } from "react";

import { useAnnounce, useClient } from "../../api/context.tsx";
import type { TaskBoard } from "../../api/types.ts";
import { describeBoardChanges } from "./board-changes.ts";
import { boardInterval } from "./polling.ts";

export const api = "/api/admintasks";
export const boardKey = ["tasks", "board"] as const;

/** The board as it was answered last. */
export interface BoardSnapshot {
  board: TaskBoard;
  etag: string | null;
  /** How far the server's clock is ahead of this browser's, in ms. */
  skew: number;
}

function subscribe(listener: () => void): () => void {
  document.addEventListener("visibilitychange", listener);
  return () => document.removeEventListener("visibilitychange", listener);
}

/** Whether the tab is seen. */
export function useVisible(): boolean {
  return useSyncExternalStore(subscribe, () => !document.hidden);
}

/** The board, looked at again and again; an unchanged one costs an empty answer. */
export function useBoard() {
  const client = useClient();
  const queries = useQueryClient();
  const visible = useVisible();
  return useQuery({
    queryKey: boardKey,
    queryFn: async ({ signal }): Promise<BoardSnapshot> => {
      const known = queries.getQueryData<BoardSnapshot>(boardKey);
      const path = `${api}/board`;
      const response = await client.getChanged<TaskBoard>(path, known?.etag ?? null, signal);
      if (response === null && known) return known;
      if (response === null) throw new Error("There is no board that could be the same.");
      const { data: board, etag } = response;
      return { board, etag, skew: Date.parse(board.now) - Date.now() };
    },
    refetchInterval: (query) => boardInterval(query.state.data?.board, visible),
    refetchIntervalInBackground: true,
  });
}

/** Tells who listens what has moved since the look before. */
export function useBoardAnnouncements(board: TaskBoard | undefined): void {
  const announce = useAnnounce();
  const before = useRef<TaskBoard | undefined>(undefined);
  useEffect(() => {
    const moves = before.current && board ? describeBoardChanges(before.current, board) : null;
    before.current = board;
    if (moves !== null) announce(moves);
  }, [announce, board]);
}
