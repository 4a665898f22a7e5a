import { useCallback, useMemo, useState } from "react";

import { makeApi } from "../../api.ts";
import type { ConsoleContextValue } from "../../context.ts";
import { useClient } from "../context.tsx";

/** What parts of the console need of the page they stand on; a session that has ended is renewed here. */
export function useConsoleHere(path: string): ConsoleContextValue {
  const client = useClient();
  const [api] = useState(() => makeApi((...call) => fetch(...call)));
  const [epoch, setEpoch] = useState(0);
  const expire = useCallback((): void => {
    client.signIn().then(
      () => setEpoch((known) => known + 1),
      () => {
        // Who does not sign in again sees what there is; the page's own calls say so.
      },
    );
  }, [client]);
  return useMemo(() => ({ api, path, epoch, expire }), [api, path, epoch, expire]);
}
