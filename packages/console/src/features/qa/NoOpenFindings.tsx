import type { ReactElement } from "react";

import type { QaRun } from "../../api/types.ts";
import { EmptyState } from "../../ui/EmptyState.tsx";
import { Time } from "../time/Time.tsx";
import { extentLabel } from "./labels.ts";

/** That all is well, and since when. */
export function NoOpenFindings({ last }: { last: QaRun | null }): ReactElement {
  return (
    <EmptyState>
      Nothing to mend.{" "}
      {last && (
        <>
          {/* A program that has found nothing has told of no page. */}
          {last.pages > 0 ? `Looked at ${extentLabel(last)} on ` : "The last pass was on "}
          <Time iso={last.finishedAt ?? last.startedAt} />.
        </>
      )}
    </EmptyState>
  );
}
