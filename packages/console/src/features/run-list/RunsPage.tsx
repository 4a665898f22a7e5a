import "./run-list.css";

import type { ReactElement } from "react";

import type { Run } from "../../api/types.ts";
import { EmptyState } from "../../ui/EmptyState.tsx";
import { PageHeader } from "../../ui/PageHeader.tsx";
import { useAddress } from "../../ui/search-params.ts";
import { SegmentedControl } from "../../ui/SegmentedControl.tsx";
import { changeSummary, firstLine, formatLineChanges, runStatusLabel } from "../runs/labels.ts";
import { PagedList } from "../queries/PagedList.tsx";
import { Time } from "../time/Time.tsx";
import { perPage, shownStatuses, useRunList, viewOf } from "./useRunList.ts";

/** Links of a run: its preview if it has one, its page, and its task. */
function RunLinks({ run }: { run: Run }): ReactElement {
  return (
    <p className="actions">
      {run.previewUrl !== null && (
        <a href={run.previewUrl} target="_blank" rel="noopener">
          Open preview
        </a>
      )}
      {run.pageUrl !== null && <a href={run.pageUrl}>Open page</a>}
      {run.task !== null && <a href={`/admin/tasks?task=${run.task.id}`}>Task {run.task.id}</a>}
      {run.commit !== null && <code>{run.commit.slice(0, 8)}</code>}
    </p>
  );
}

function RunItem({ run }: { run: Run }): ReactElement {
  const { filesChanged } = run;
  return (
    <li className="run-item" data-status={run.status}>
      <h2>{firstLine(run.instruction)}</h2>
      <p className="muted">
        <b>{runStatusLabel(run.status)}</b> · <Time iso={run.createdAt} /> · by {run.actor}
      </p>
      {run.error !== null && <p className="error">{firstLine(run.error)}</p>}
      {filesChanged.length > 0 && (
        <details>
          <summary>{changeSummary(filesChanged)}</summary>
          <ul>
            {filesChanged.map(({ path, added, removed }) => (
              <li key={path}>
                <code>{path}</code> {formatLineChanges(added, removed)}
              </li>
            ))}
          </ul>
        </details>
      )}
      <RunLinks run={run} />
    </li>
  );
}

/** The page of all runs, newest first. */
export function RunsPage(): ReactElement {
  const address = useAddress();
  const view = viewOf(address);
  const runs = useRunList(view);
  return (
    <div className="page">
      <PageHeader
        title="Runs"
        lead="Every change made or attempted with the console, a task, or a form, newest first."
      />
      <div className="filters">
        <SegmentedControl
          legend="Status"
          value={view.status ?? "all"}
          options={[
            { value: "all", label: "All" },
            ...shownStatuses.map((value) => ({ value, label: runStatusLabel(value) })),
          ]}
          onChange={(value) =>
            address.change({ status: value === "all" ? null : value, page: null })
          }
        />
      </div>
      <PagedList
        query={runs}
        address={address}
        view={view}
        perPage={perPage}
        noun="runs"
        skeleton={{ count: 6, shape: "row" }}
        filters={["status"]}
        empty={
          <EmptyState
            action={
              <a className="button" href="/#console">
                Open the console
              </a>
            }
          >
            No runs yet. Describe a change in the console on any page.
          </EmptyState>
        }
      >
        {({ items }) => (
          <ol className="run-list" aria-label="List runs, newest first">
            {items.map((run) => (
              <RunItem key={run.id} run={run} />
            ))}
          </ol>
        )}
      </PagedList>
    </div>
  );
}
