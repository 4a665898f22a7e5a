import type { ReactElement } from "react";

import { Button } from "../../ui/Button.tsx";
import { Notice } from "../../ui/Notice.tsx";
import { RefusalNotice } from "../errors/RefusalNotice.tsx";
import { isActive } from "./labels.ts";
import type { LiveRun } from "./useRun.ts";

/** Says when a run can't be followed, and what that doesn't affect. */
export function ConnectionNotice({ live }: { live: LiveRun }): ReactElement | null {
  const again = (
    <Button variant="small" onClick={live.reconnect}>
      Retry
    </Button>
  );
  if (live.error !== null) return <RefusalNotice error={live.error}>{again}</RefusalNotice>;
  if (live.connection !== "offline") return null;
  const { status } = live.view;
  const goesOn = status === null || isActive(status);
  return (
    <Notice kind="info" actions={again}>
      <p>Connection lost. {goesOn && "The run continues. "}Trying again…</p>
    </Notice>
  );
}
