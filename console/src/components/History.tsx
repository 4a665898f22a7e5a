import type { ReactElement } from "react";

import { useDesk } from "../hooks/useDesk.ts";
import { type Runs, useRuns } from "../hooks/useRuns.ts";
import { Button } from "./Button.tsx";
import { HistoryChange } from "./HistoryChange.tsx";
import { groupRuns } from "./history-groups.ts";
import type { Diffs } from "./LogItem.tsx";
import { Notice } from "./Notice.tsx";
import { PastRun } from "./PastRun.tsx";
import { RunStyles } from "./RunStyles.tsx";
import { Skeleton } from "./Skeleton.tsx";

/** All changes, newest first; each run opens to its steps. */
export function History({ diffs }: { diffs: Diffs }): ReactElement {
  const desk = useDesk();
  const runs = useRuns();
  if (desk.past !== null) {
    return (
      <PastRun
        key={desk.past}
        runId={desk.past}
        diffs={diffs}
        onRun={desk.showRun}
        onBack={() => {
          desk.showPast(null);
          runs.reload();
        }}
      />
    );
  }
  const published = runs.items?.filter((run) => run.status === "published") ?? [];
  return (
    <div className="history" role="region" aria-label="History" tabIndex={0}>
      <RunStyles />
      <HistoryState runs={runs} onEmptyAction={() => desk.compose()} />
      <ol>
        {groupRuns(runs.items ?? []).map((change) => (
          <HistoryChange
            key={change.run.id}
            change={change}
            since={Math.max(0, published.indexOf(change.run))}
            onOpen={desk.openRun}
            onRun={desk.showRun}
          />
        ))}
      </ol>
      {runs.hasMore && <Button onClick={runs.more}>Show older</Button>}
    </div>
  );
}

/** What stands in for the list: loading, a failure, or nothing yet. */
function HistoryState(props: { runs: Runs; onEmptyAction(): void }): ReactElement | null {
  const { runs } = props;
  if (runs.error) {
    return (
      <Notice error={runs.error}>
        <Button look="small" onClick={runs.reload}>
          Retry
        </Button>
      </Notice>
    );
  }
  if (runs.items === null) return <Skeleton lines={6} />;
  if (runs.items.length > 0) return null;
  return (
    <div className="empty">
      <p>No change has been asked for yet.</p>
      <Button onClick={props.onEmptyAction}>Describe a change</Button>
    </div>
  );
}
