import type { ReactElement } from "react";

import type { QaRun } from "../../api/types.ts";
import { EmptyState } from "../../ui/EmptyState.tsx";
import { Time } from "../time/Time.tsx";
import { extentLabel } from "./labels.ts";

/** That all is well, and since when. */
export function NoOpenFindings({ last }: { last: QaRun | null }): ReactElement {
  return (
    <EmptyState>
      No issues.{" "}
      {last && (
        <>
          {/* A program that has found nothing has told of no page. */}
          {last.pages > 0 ? `Checked ${extentLabel(last)} on ` : "Last checked "}
          <Time iso={last.finishedAt ?? last.startedAt} />.
        </>
      )}
    </EmptyState>
  );
}
