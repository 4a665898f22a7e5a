import { type ReactElement, useState } from "react";

import { type Runs, useRuns } from "../hooks/useRuns.ts";
import { isOpen } from "../words.ts";
import { Button } from "./Button.tsx";
import { HistoryItem } from "./HistoryItem.tsx";
import type { Diffs } from "./LogItem.tsx";
import { Notice } from "./Notice.tsx";
import { PastRun } from "./PastRun.tsx";
import { Skeleton } from "./Skeleton.tsx";

export interface HistoryProps {
  diffs: Diffs;
  /** A run that begins here or still waits: it is shown where runs are worked on. */
  onRun(runId: string): void;
  onEmptyAction(): void;
}

/** All runs, newest first; each opens to its steps. */
export function History(props: HistoryProps): ReactElement {
  const runs = useRuns();
  const [opened, setOpened] = useState<string | null>(null);
  if (opened !== null) {
    return (
      <PastRun
        runId={opened}
        diffs={props.diffs}
        onRun={props.onRun}
        onBack={() => {
          setOpened(null);
          runs.reload();
        }}
      />
    );
  }
  return (
    <div className="history" role="region" aria-label="History" tabIndex={0}>
      <HistoryState runs={runs} onEmptyAction={props.onEmptyAction} />
      <ol>
        {runs.items?.map((run) => (
          <HistoryItem
            key={run.id}
            run={run}
            onOpen={() => (isOpen(run.status) ? props.onRun(run.id) : setOpened(run.id))}
            onRun={props.onRun}
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
