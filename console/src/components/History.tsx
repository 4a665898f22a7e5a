import { type ReactElement, useState } from "react";

import { useRuns } from "../hooks/useRuns.ts";
import { isOpen } from "../words.ts";
import { HistoryItem } from "./HistoryItem.tsx";
import { Notice } from "./Notice.tsx";
import { RunPanel, type RunPanelProps } from "./RunPanel.tsx";
import { Skeleton } from "./Skeleton.tsx";

export interface HistoryProps extends Pick<RunPanelProps, "diffs"> {
  /** A run that begins here or still waits: it is shown where runs are worked on. */
  onRun(runId: string): void;
  onEmptyAction(): void;
}

function ignore(): void {}

/** All runs, newest first; each opens to its steps. */
export function History(props: HistoryProps): ReactElement {
  const runs = useRuns();
  const [opened, setOpened] = useState<string | null>(null);
  if (opened !== null) {
    return (
      <>
        <div className="back">
          <button
            type="button"
            className="button small"
            // oxlint-disable-next-line jsx-a11y/no-autofocus -- the button that was pressed is gone
            autoFocus
            onClick={() => {
              setOpened(null);
              runs.reload();
            }}
          >
            Back to history
          </button>
        </div>
        <RunPanel
          key={opened}
          runId={opened}
          diffs={props.diffs}
          onRun={props.onRun}
          onCurrent={ignore}
          onPreview={ignore}
          onDone={null}
        />
      </>
    );
  }
  return (
    <div className="history" role="region" aria-label="History" tabIndex={0}>
      {runs.error && (
        <Notice error={runs.error}>
          <button type="button" className="button small" onClick={runs.reload}>
            Retry
          </button>
        </Notice>
      )}
      {runs.items === null && !runs.error && <Skeleton lines={6} />}
      {runs.items?.length === 0 && (
        <div className="empty">
          <p>No change has been asked for yet.</p>
          <button type="button" className="button" onClick={props.onEmptyAction}>
            Describe a change
          </button>
        </div>
      )}
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
      {runs.hasMore && (
        <button type="button" className="button" onClick={runs.more}>
          Show older
        </button>
      )}
    </div>
  );
}
