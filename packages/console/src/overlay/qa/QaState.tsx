import type { ReactElement } from "react";

import type { QaRun } from "../../api/types.ts";
import {
  extentLabel,
  openCountLabel,
  durationLabel,
  triggerLabel,
} from "../../features/qa/labels.ts";
import { RunProgress } from "../../features/qa/RunProgress.tsx";
import type { QaRunSteps } from "../../features/qa/useRunSteps.ts";
import { formatSince } from "../../features/tasks/task-times.ts";
import { useNow } from "../../ui/useNow.ts";
import { useQa } from "./useQa.ts";

function Last({ pass, open }: { pass: QaRun; open: string }): ReactElement {
  const now = useNow(true);
  const ago = formatSince(now - Date.parse(pass.finishedAt ?? pass.startedAt));
  return (
    <p className="qa-last">
      <b>{open}</b>
      <span className="quiet">
        {[`Last pass ${ago}, begun ${triggerLabel(pass)}`, extentLabel(pass), durationLabel(pass)]
          .filter((words) => words !== null)
          .join(" · ")}
      </span>
    </p>
  );
}

/** How the passes stand: none yet, one that runs, the last. */
export function QaState({ steps }: { steps: QaRunSteps | null }): ReactElement | null {
  const { overview } = useQa();
  if (overview === null) return null;
  const { currentRun: running, lastRun: last } = overview;
  if (running === null && last === null) {
    return (
      <div className="empty">
        <p>
          The site has not been looked at yet. Run now follows every page and link as a visitor
          would, and changes nothing.
        </p>
      </div>
    );
  }
  return (
    <>
      {running && <RunProgress pass={running} steps={steps} />}
      {last && <Last pass={last} open={openCountLabel(overview.open)} />}
    </>
  );
}
