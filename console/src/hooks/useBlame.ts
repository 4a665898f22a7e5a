import { useEffect, useState } from "react";

import { ApiError } from "../api.ts";
import { useConsole } from "../context.ts";
import type { Blame, PickedElement } from "../types.ts";

export interface BlameAnswer {
  blame: Blame | null;
  error: ApiError | null;
  retry(): void;
}

/** Asks who last touched the line that an element comes from; with a run, in its preview. */
export function useBlame(element: PickedElement, runId: string | null): BlameAnswer {
  const { api, epoch, expire } = useConsole();
  const [blame, setBlame] = useState<Blame | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  const [turn, setTurn] = useState(0);
  const { file, line } = element;
  useEffect(() => {
    let current = true;
    setBlame(null);
    setError(null);
    api.blame(file, line, runId ?? undefined).then(
      (answer) => current && setBlame(answer),
      (cause: unknown) => {
        if (!current || !(cause instanceof ApiError)) return;
        if (cause.status === 401) expire();
        else setError(cause);
      },
    );
    return () => {
      current = false;
    };
  }, [api, epoch, expire, file, line, runId, turn]);
  return { blame, error, retry: () => setTurn(turn + 1) };
}
