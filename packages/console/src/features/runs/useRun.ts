import { useEffect, useReducer, useRef, useState } from "react";

import { ApiError } from "../../api/client.ts";
import type { Connection } from "../../api/event-stream.ts";
import type { Run, RunEvent, RunMessage, RunStatus } from "../../api/types.ts";
import { pause, whenVisible, whileVisible } from "../../ui/visibility.ts";
import { followRun, isFinal } from "./follow-run.ts";
import { applyEvents, applyRecord } from "./run-reducer.ts";
import { emptyView, type RunView } from "./run-view.ts";
import { useRunsApi } from "./runs-api.ts";

export interface LiveRun {
  run: Run | null;
  view: RunView;
  connection: Connection;
  /** Why the run can't be shown. */
  error: ApiError | null;
  /** Reconnects immediately. */
  reconnect(): void;
  /** Unread messages. */
  messages: RunMessage[];
  /** Removes a withdrawn message. */
  withdrawn(messageId: number): void;
  /** Applies the response of an action. */
  update(run: Run): void;
}

type Change = { events: RunEvent[]; now: number } | { run: Run } | "restart";

function reduce(view: RunView, change: Change): RunView {
  if (change === "restart") return emptyView;
  return "run" in change
    ? applyRecord(view, change.run)
    : applyEvents(view, change.events, change.now);
}

/** Follows the run's events from the first one; restarts when a session was renewed. */
function useEvents(
  runId: string,
  status: RunStatus | null,
  dispatch: (change: Change) => void,
): Pick<LiveRun, "connection" | "error" | "reconnect"> {
  const api = useRunsApi();
  const [connection, setConnection] = useState<Connection>("connecting");
  const [error, setError] = useState<ApiError | null>(null);
  const [attempt, setAttempt] = useState(0);
  const wake = useRef<() => void>(() => {});
  const known = useRef(status);
  known.current = status;
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    setError(null);
    dispatch("restart");
    addEventListener("online", () => wake.current(), { signal });
    followRun({
      open: async (lastEventId, stop) => {
        await whenVisible(stop);
        return api.stream(runId, lastEventId, whileVisible(stop));
      },
      signal,
      onEvents: (events) => dispatch({ events, now: Date.now() }),
      onConnection: setConnection,
      isOver: () => known.current !== null && isFinal(known.current),
      wait: (milliseconds, stop) => pause(milliseconds, stop, (end) => (wake.current = end)),
    }).catch((cause: unknown) => {
      if (!(cause instanceof ApiError) || signal.aborted) return;
      setError(cause);
    });
    return () => controller.abort();
  }, [api, runId, attempt, dispatch]);
  const reconnect = (): void => (error === null ? wake.current() : setAttempt(attempt + 1));
  return { connection, error, reconnect };
}

/** Unread messages, with the elements and images that only the record contains. */
function waitingIn(view: RunView, run: Run | null): RunMessage[] {
  return view.waiting.map(({ id, text }) => {
    const known = run?.messages.find((message) => message.id === id);
    const bare = { elements: [], attachments: [], createdAt: "" };
    return { ...bare, ...known, id, text, status: "waiting" };
  });
}

/** Follows a run from its first event, whatever tab or page load started it. */
export function useRun(runId: string): LiveRun {
  const api = useRunsApi();
  const [view, dispatch] = useReducer(reduce, emptyView);
  const [run, setRun] = useState<Run | null>(null);
  const events = useEvents(runId, view.status, dispatch);

  const said = view.waiting.map(({ id }) => id).join();

  // The record contains what events leave out; it is loaded again at each change of state, and
  // after a message.
  useEffect(() => {
    let current = true;
    async function read(): Promise<void> {
      try {
        const record = await api.getRun(runId);
        if (!current) return;
        setRun(record);
        dispatch({ run: record });
      } catch {
        // Events report the progress, and the next change of state reloads the record.
      }
    }
    void read();
    return () => {
      current = false;
    };
  }, [api, runId, view.status, said]);

  return {
    run,
    view,
    messages: waitingIn(view, run),
    withdrawn(id) {
      dispatch({ events: [{ type: "message.withdrawn", data: { id } }], now: Date.now() });
    },
    ...events,
    update(record) {
      setRun(record);
      dispatch({ run: record });
    },
  };
}
