import { useCallback } from "react";

import type { ApiError } from "../../api/client.ts";
import { usePagePath } from "../../api/context.tsx";
import type { QaFinding } from "../../api/types.ts";
import { useRequest } from "../../api/useRequest.ts";
import { partitionByPage } from "../../features/qa/group-findings.ts";
import { useQa } from "./useQa.ts";

export interface OpenFindings {
  /** Those of the page that the console stands on; null while nothing is known. */
  here: readonly QaFinding[] | null;
  others: readonly QaFinding[];
  /** More than are listed. */
  unlisted: number;
  error: ApiError | null;
  /** Reads them again. */
  read(): void;
}

interface LoadedFindings {
  items: readonly QaFinding[];
  total: number;
}

/** What is open, of this page and of the others; read again when the overview tells of a change. */
export function useOpenFindings(): OpenFindings {
  const path = usePagePath();
  const { api, overview, error: unseen } = useQa();
  const state =
    overview &&
    JSON.stringify([overview.open, overview.queued, overview.ignored, overview.lastRun?.id]);
  const failing = unseen !== null;
  const ask = useCallback(async (): Promise<LoadedFindings> => {
    // That the server fails is told once; when it answers again, it is asked.
    if (failing) return new Promise(() => {});
    const [mine, all] = await Promise.all([api.findings(path), api.findings()]);
    const ids = new Set(mine.items.map(({ id }) => id));
    const rest = all.items.filter(({ id }) => !ids.has(id));
    return { items: [...mine.items, ...rest], total: all.total };
    // oxlint-disable-next-line react/exhaustive-deps -- they are read again when the state changes
  }, [api, path, state, failing]);
  const { data: known, error, retry: read } = useRequest(ask);
  if (known === null) return { here: null, others: [], unlisted: 0, error, read };
  const unlisted = Math.max(0, known.total - known.items.length);
  return { ...partitionByPage(known.items, path), unlisted, error, read };
}
