import { useEffect, useReducer, useRef, useState } from "react";

import { ApiError } from "../api.ts";
import { useConsole } from "../context.ts";
import { type Connection, followRun } from "../follow.ts";
import { type RunView, emptyView, reduceEvents, reduceRecord } from "../stream.ts";
import type { Run, RunEvent } from "../types.ts";

export interface LiveRun {
  run: Run | null;
  view: RunView;
  connection: Connection;
  /** Why the run can't be shown at all. */
  error: ApiError | null;
  /** Tries the connection again at once. */
  reconnect(): void;
  /** Takes over what an action answered. */
  update(run: Run): void;
}

type Change = { events: RunEvent[]; now: number } | { run: Run } | "restart";

function reduce(view: RunView, change: Change): RunView {
  if (change === "restart") return emptyView;
  return "run" in change
    ? reduceRecord(view, change.run)
    : reduceEvents(view, change.events, change.now);
}

/** Resolves when the tab is seen: a hidden tab keeps no connection, browsers allow six a site. */
function whenVisible(signal: AbortSignal): Promise<void> {
  if (!document.hidden) return Promise.resolve();
  return new Promise((resolve) => {
    const controller = new AbortController();
    const done = (): void => {
      controller.abort();
      resolve();
    };
    document.addEventListener("visibilitychange", done, { signal: controller.signal });
    signal.addEventListener("abort", done, { signal: controller.signal });
  });
}

/** A signal that aborts with the given one or when the tab is hidden. */
function whileVisible(signal: AbortSignal): AbortSignal {
  const hidden = new AbortController();
  const onChange = (): void => {
    if (document.hidden) hidden.abort();
  };
  document.addEventListener("visibilitychange", onChange, { signal });
  return AbortSignal.any([signal, hidden.signal]);
}

/** Follows one run from its first event, whatever tab or page load started it. */
export function useRun(runId: string): LiveRun {
  const { api, epoch, expire } = useConsole();
  const [view, dispatch] = useReducer(reduce, emptyView);
  const [run, setRun] = useState<Run | null>(null);
  const [connection, setConnection] = useState<Connection>("connecting");
  const [error, setError] = useState<ApiError | null>(null);
  const [attempt, setAttempt] = useState(0);
  const wake = useRef<() => void>(() => {});

  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    setError(null);
    dispatch("restart");
    const wait = (milliseconds: number): Promise<void> =>
      new Promise((resolve) => {
        wake.current = resolve;
        const timer = setTimeout(resolve, milliseconds);
        signal.addEventListener("abort", () => {
          clearTimeout(timer);
          resolve();
        });
      });
    const onOnline = (): void => wake.current();
    addEventListener("online", onOnline, { signal });
    followRun({
      open: async (lastEventId, stop) => {
        await whenVisible(stop);
        return api.stream(runId, lastEventId, whileVisible(stop));
      },
      signal,
      onEvents: (events) => dispatch({ events, now: Date.now() }),
      onConnection: setConnection,
      wait,
    }).catch((cause: unknown) => {
      if (!(cause instanceof ApiError) || signal.aborted) return;
      if (cause.status === 401) expire();
      else setError(cause);
    });
    return () => controller.abort();
  }, [api, runId, epoch, attempt, expire]);

  // The record says what events leave out; it is asked again at each change of state.
  useEffect(() => {
    let current = true;
    api.getRun(runId).then(
      (record) => {
        if (!current) return;
        setRun(record);
        dispatch({ run: record });
      },
      (cause: unknown) => {
        if (current && cause instanceof ApiError && cause.status === 401) expire();
      },
    );
    return () => {
      current = false;
    };
  }, [api, runId, epoch, expire, view.status]);

  return {
    run,
    view,
    connection,
    error,
    reconnect: () => (error === null ? wake.current() : setAttempt(attempt + 1)),
    update(record) {
      setRun(record);
      dispatch({ run: record });
    },
  };
}
