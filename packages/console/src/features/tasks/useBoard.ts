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

/** The board as it was answered last. */
export interface BoardSnapshot {
  board: TaskBoard;
  /** How far the server's clock is ahead of this browser's, in ms. */
  skew: number;
}

/** The board, looked at again and again; an unchanged one costs an empty answer. */
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
      // The same board tells the time of when it was new.
      if (known?.board.now === board.now) return known;
      return { board, skew: Date.parse(board.now) - Date.now() };
    },
    refetchInterval: (query) => boardInterval(query.state.data?.board, visible, pace),
    refetchIntervalInBackground: true,
  });
}

/** Tells who listens what has moved since the look before; of some states only, where these are told. */
export function useBoardAnnouncements(
  board: TaskBoard | undefined,
  told?: ReadonlySet<TaskStatus>,
): void {
  const announce = useAnnounce();
  const before = useRef<TaskBoard | undefined>(undefined);
  useEffect(() => {
    const moves =
      before.current && board ? describeBoardChanges(before.current, board, told) : null;
    before.current = board;
    if (moves !== null) announce(moves);
  }, [announce, board, told]);
}
