import { useEffect, useState } from "react";

import { previewAddress } from "./preview-url.ts";

/** The address of the live site for comparison. */
export const livePreviewUrl = "/_preview/live/";

export interface LivePage {
  address: string | null;
  /** The page at this address. */
  path: string | null;
  /** Why the live page can't be shown. */
  error: string | null;
}

function errorOf(status: number): string | null {
  if (status === 404) return "The live site doesn’t have this page yet.";
  if (status === 401) return "Your session has ended: sign in again to compare.";
  return status >= 400 ? `Couldn’t load the live site: the server answered ${status}.` : null;
}

const nowhere: LivePage = { address: null, path: null, error: null };

/** A page of the live site that can be framed under the preview. */
export function useLivePage(path: string): LivePage {
  const [page, setPage] = useState<LivePage>(nowhere);
  useEffect(() => {
    const controller = new AbortController();
    const address = previewAddress(livePreviewUrl, path, location.href);
    async function look(): Promise<void> {
      if (address === null) return;
      try {
        const { signal } = controller;
        const { status } = await fetch(address, { method: "HEAD", cache: "no-store", signal });
        const error = errorOf(status);
        setPage(error === null ? { address, path, error } : { ...nowhere, error });
      } catch {
        if (controller.signal.aborted) return;
        setPage({ ...nowhere, error: "Couldn’t reach the live site." });
      }
    }
    void look();
    return () => controller.abort();
  }, [path]);
  return page;
}
