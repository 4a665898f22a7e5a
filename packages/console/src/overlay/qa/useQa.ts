import { createContext, useCallback, useContext, useState } from "react";

import { useClient } from "../../api/context.tsx";
import type { QaOverview } from "../../api/types.ts";
import { type Polling, usePolling } from "../../api/usePolling.ts";
import type { Badge } from "../tasks/counts.ts";
import { makeQaApi, type QaApi } from "./qa-api.ts";

/** Between two looks, in ms: while a pass is watched, while the tab is shown, and otherwise. */
const pollIntervalMs = { watched: 2_000, shown: 8_000, aside: 30_000 };

/** What the console knows of the QA engine. */
export interface Qa extends Polling {
  api: QaApi;
  /** Null while it is not known; kept when a look fails. */
  overview: QaOverview | null;
}

export const QaContext = createContext<Qa | null>(null);

/** The QA engine as a part of the console knows it. */
export function useQa(): Qa {
  const value = useContext(QaContext);
  if (value === null) throw new Error("A part of the console stands outside it.");
  return value;
}

/** Looks at what is open while the browser's tab is seen, oftener while that is shown. */
export function useQaState(shown: boolean): Qa {
  const client = useClient();
  const [api] = useState(() => makeQaApi(client));
  const [overview, setOverview] = useState<QaOverview | null>(null);
  const ask = useCallback(
    async (signal: AbortSignal): Promise<void> => {
      const found = await api.overview();
      if (!signal.aborted) setOverview(found);
    },
    [api],
  );
  const watched = shown && overview?.currentRun ? pollIntervalMs.watched : pollIntervalMs.shown;
  return { api, overview, ...usePolling(ask, shown ? watched : pollIntervalMs.aside) };
}

/** How many errors are open, to be told; null without any. */
export function errorBadge(overview: QaOverview | null): Badge | null {
  const count = overview?.open.error ?? 0;
  return count === 0 ? null : { count, label: count === 1 ? "QA error" : "QA errors" };
}
