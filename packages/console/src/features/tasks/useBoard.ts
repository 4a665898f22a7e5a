import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";

import { useAnnounce } from "../../api/context.tsx";
import type { TaskBoard, TaskStatus } from "../../api/types.ts";
import { useVisible } from "../../ui/useVisible.ts";
import { describeBoardChanges } from "./board-changes.ts";
import { countsOf } from "./counts.ts";
import { boardInterval, type Pace } from "./polling.ts";
import { countsKey, tasksKey, useTaskApi } from "./task-api.ts";

const boardKey = [...tasksKey, "board"] as const;

/** The last response for the board. */
export interface BoardSnapshot {
  board: TaskBoard;
  /** How far the server's clock is ahead of this browser's, in ms. */
  skew: number;
}

/** The board, polled; if unchanged, the response is empty. */
export function useBoard(pace?: Pace) {
  const api = useTaskApi();
  const queries = useQueryClient();
  const visible = useVisible();
  return useQuery({
    queryKey: boardKey,
    queryFn: async ({ signal }): Promise<BoardSnapshot> => {
      const board = await api.board(signal);
      queries.setQueryData(countsKey, countsOf(board));
      const known = queries.getQueryData<BoardSnapshot>(boardKey);
      // An unchanged board contains the time when it was new.
      if (known?.board.now === board.now) return known;
      return { board, skew: Date.parse(board.now) - Date.now() };
    },
    refetchInterval: (query) => boardInterval(query.state.data?.board, visible, pace),
    refetchIntervalInBackground: true,
  });
}

/** Announces what has moved since the last poll; only some states, if given. */
export function useBoardAnnouncements(
  board: TaskBoard | undefined,
  reported?: ReadonlySet<TaskStatus>,
): void {
  const announce = useAnnounce();
  const before = useRef<TaskBoard | undefined>(undefined);
  useEffect(() => {
    const moves =
      before.current && board ? describeBoardChanges(before.current, board, reported) : null;
    before.current = board;
    if (moves !== null) announce(moves);
  }, [announce, board, reported]);
}
