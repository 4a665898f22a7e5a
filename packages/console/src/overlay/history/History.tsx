import type { ReactElement } from "react";

import type { Folds } from "../../ui/Disclosure.tsx";
import { RefusalNotice } from "../../features/errors/RefusalNotice.tsx";
import { Button } from "../../ui/Button.tsx";
import { Skeleton } from "../../ui/Skeleton.tsx";
import { RunStyles } from "../RunStyles.tsx";
import { useConsoleState } from "../useConsoleState.ts";
import { groupRuns } from "./history-groups.ts";
import { HistoryChange } from "./HistoryChange.tsx";
import { PastRun } from "./PastRun.tsx";
import { useRuns } from "./useRuns.ts";

/** All changes, newest first; each run expands to its steps. */
export function History({ diffs }: { diffs: Folds }): ReactElement {
  const consoleState = useConsoleState();
  const runs = useRuns();
  if (consoleState.past !== null) {
    return (
      <PastRun
        key={consoleState.past}
        runId={consoleState.past}
        diffs={diffs}
        onRun={consoleState.showRun}
        onBack={() => {
          consoleState.showPast(null);
          void runs.refetch();
        }}
      />
    );
  }
  const published = runs.items?.filter((run) => run.status === "published") ?? [];
  return (
    <div className="tab-list" role="region" aria-label="History" tabIndex={0}>
      <RunStyles />
      <HistoryState runs={runs} onEmptyAction={() => consoleState.compose()} />
      <ol>
        {groupRuns(runs.items ?? []).map((change) => (
          <HistoryChange
            key={change.run.id}
            change={change}
            since={Math.max(0, published.indexOf(change.run))}
            onOpen={consoleState.openRun}
            onRun={consoleState.showRun}
          />
        ))}
      </ol>
      {runs.hasNextPage && <Button onClick={() => void runs.fetchNextPage()}>Show older</Button>}
    </div>
  );
}

/** Replaces the list: loading, an error, or nothing yet. */
function HistoryState(props: {
  runs: ReturnType<typeof useRuns>;
  onEmptyAction(): void;
}): ReactElement | null {
  const { runs } = props;
  if (runs.error) {
    return (
      <RefusalNotice error={runs.error}>
        <Button variant="small" onClick={() => void runs.refetch()}>
          Retry
        </Button>
      </RefusalNotice>
    );
  }
  if (runs.items === undefined) return <Skeleton count={6} shape="line" />;
  if (runs.items.length > 0) return null;
  return (
    <div className="empty">
      <p>No changes yet.</p>
      <Button onClick={props.onEmptyAction}>Describe a change</Button>
    </div>
  );
}
