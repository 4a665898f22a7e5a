import { useEffect, useEffectEvent, useRef, useState } from "react";

import { asApiError, ApiError } from "../../../../api/client.ts";
import { useClient } from "../../../../api/context.tsx";
import { previewAddress } from "../../../preview/preview-url.ts";
import type { Values } from "../form.ts";

/** Pause in typing before the page is rebuilt, in ms. */
const calm = 900;

export interface LivePreview {
  /** The private page; null before the first one is ready. */
  address: string | null;
  updating: boolean;
  error: ApiError | null;
  retry(): void;
}

/**
 * The page with these values, rebuilt shortly after each change.
 * @param values null while they aren't a valid project: the page stays
 * @param isBusy whether the page itself is being edited, which already shows the changes
 */
export function useLivePreview(values: Partial<Values> | null, isBusy: () => boolean): LivePreview {
  const client = useClient();
  const [state, setState] = useState<Omit<LivePreview, "retry">>({
    address: null,
    updating: values !== null,
    error: null,
  });
  const [turn, setTurn] = useState(0);
  const shown = useRef<string | null>(null);
  const inProgress = useRef(false);
  const wanted = values === null ? null : JSON.stringify(values);
  const busy = useEffectEvent(isBusy);

  const build = useEffectEvent(async (project: string): Promise<void> => {
    inProgress.current = true;
    setState((now) => ({ ...now, updating: true, error: null }));
    try {
      const { previewUrl, path } = await client.post<{ previewUrl: string; path: string }>(
        "/devconsole/preview",
        { project: JSON.parse(project) as object },
      );
      const address = previewAddress(previewUrl, path, location.href);
      if (address === null) throw new ApiError("internal", "Couldn’t open the page.");
      shown.current = project;
      setState({ address, updating: false, error: null });
    } catch (cause) {
      setState((now) => ({ ...now, updating: false, error: asApiError(cause) }));
    } finally {
      inProgress.current = false;
    }
  });

  useEffect(() => {
    if (wanted === null || wanted === shown.current) return;
    let timer = 0;
    // One build at a time, because the server completes one even if nobody waits for it.
    const start = (): void => {
      if (busy() || inProgress.current) timer = window.setTimeout(start, calm);
      else void build(wanted);
    };
    timer = window.setTimeout(start, shown.current === null ? 0 : calm);
    return () => clearTimeout(timer);
  }, [wanted, turn]);

  return { ...state, retry: () => setTurn((now) => now + 1) };
}
