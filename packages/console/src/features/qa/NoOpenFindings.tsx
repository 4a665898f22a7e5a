import type { ReactElement } from "react";

import type { QaRun } from "../../api/types.ts";
import { EmptyState } from "../../ui/EmptyState.tsx";
import { Time } from "../time/Time.tsx";
import { extentLabel } from "./labels.ts";

/** Says that there are no issues, and since when. */
export function NoOpenFindings({ last }: { last: QaRun | null }): ReactElement {
  return (
    <EmptyState>
      No issues.{" "}
      {last && (
        <>
          {/* An external program without findings has named no pages. */}
          {last.pages > 0 ? `Checked ${extentLabel(last)} on ` : "Last checked "}
          <Time iso={last.finishedAt ?? last.startedAt} />.
        </>
      )}
    </EmptyState>
  );
}
