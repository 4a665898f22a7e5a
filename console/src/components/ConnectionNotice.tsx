import type { ReactElement } from "react";

import type { LiveRun } from "../hooks/useRun.ts";
import { Notice } from "./Notice.tsx";

/** Says when a run can't be followed, and what that does not mean. */
export function ConnectionNotice({ live }: { live: LiveRun }): ReactElement | null {
  const again = (
    <button type="button" className="button small" onClick={live.reconnect}>
      Retry
    </button>
  );
  if (live.error !== null) return <Notice error={live.error}>{again}</Notice>;
  if (live.connection !== "offline") return null;
  return (
    <div className="notice calm" role="status">
      <p>No connection. The run goes on without you; trying again.</p>
      <div className="actions">{again}</div>
    </div>
  );
}
