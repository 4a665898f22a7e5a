import { useEffect, useEffectEvent, useRef } from "react";

import type { RunStatus } from "../api/types.ts";
import { isActive } from "../features/runs/labels.ts";
import { useRunsApi } from "../features/runs/runs-api.ts";
import type { CurrentRun } from "./RunPanel.tsx";
import { badgedTitle, badgeOf, plainTitle } from "./title.ts";

/** The polling interval of a run from a hidden tab, in ms. */
const pollIntervalMs = 15_000;

/**
 * Shows in the tab's title that the run has changed its state while the tab was hidden, until the
 * owner returns. A hidden tab closes the stream, so it polls, which the server counts as presence.
 */
export function useTitle(run: CurrentRun | null): void {
  const api = useRunsApi();
  const runId = run?.runId ?? null;
  const status = run?.status ?? null;
  const known = useRef<RunStatus | null>(null);
  useEffect(() => {
    known.current = status;
  }, [status, runId]);
  const refresh = useEffectEvent(async (signal: AbortSignal): Promise<void> => {
    const before = known.current;
    if (runId === null || before === null || !isActive(before)) return;
    const found = await api.getRun(runId).catch(() => null);
    if (found === null || signal.aborted || !document.hidden || found.status === before) return;
    known.current = found.status;
    document.title = badgedTitle(document.title, badgeOf(found.status));
  });
  useEffect(() => {
    const abort = new AbortController();
    const { signal } = abort;
    let timer: ReturnType<typeof setInterval> | undefined;
    const onChange = (): void => {
      clearInterval(timer);
      if (document.hidden) timer = setInterval(() => void refresh(signal), pollIntervalMs);
      else document.title = plainTitle(document.title);
    };
    document.addEventListener("visibilitychange", onChange, { signal });
    if (document.hidden) onChange();
    return () => {
      clearInterval(timer);
      abort.abort();
      document.title = plainTitle(document.title);
    };
  }, []);
}
