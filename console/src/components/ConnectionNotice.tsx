import type { ReactElement } from "react";

import type { LiveRun } from "../hooks/useRun.ts";
import { isActive } from "../words.ts";
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
  const { status } = live.view;
  const goesOn = status === null || isActive(status);
  return (
    <div className="notice calm" role="status">
      <p>No connection. {goesOn && "The run goes on without you. "}Trying again…</p>
      <div className="actions">{again}</div>
    </div>
  );
}
