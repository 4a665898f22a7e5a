import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState, useSyncExternalStore } from "react";

import { useAnnounce, useClient, useUploadLimits } from "../../api/context.tsx";
import { useUnloadGuard } from "../../ui/useUnloadGuard.ts";
import { rebuildKey } from "../rebuild/RebuildBanner.tsx";
import { makePageUploads, type PageUploads } from "./page-uploads.ts";
import { mediaListKey } from "./useMedia.ts";

/** One per document, so that all its parts show the same uploads. */
let shared: PageUploads | null = null;

/** The uploads of the admin pages; their results are added to the list when they are done. */
export function usePageUploads() {
  const client = useClient();
  const announce = useAnnounce();
  const limits = useUploadLimits();
  const queries = useQueryClient();
  const [uploads] = useState(() => {
    if (shared === null) {
      shared = makePageUploads({ client, limits, announce });
      void shared.restore();
    }
    return shared;
  });
  const state = useSyncExternalStore(uploads.subscribe, uploads.state);
  const stored = state.items.filter(({ status }) => status === "done").length;
  useEffect(() => {
    if (stored === 0) return;
    void queries.invalidateQueries({ queryKey: mediaListKey });
    void queries.invalidateQueries({ queryKey: rebuildKey });
  }, [stored, queries]);
  useUnloadGuard(state.busy);
  const { add, retry, cancel, dismiss, supply, forget } = uploads;
  return { ...state, add, retry, cancel, dismiss, supply, forget };
}
