import type { ReactElement } from "react";

import type { QaOverview } from "../../api/types.ts";
import { Button } from "../../ui/Button.tsx";
import { EmptyState } from "../../ui/EmptyState.tsx";
import { focusHeading } from "../../ui/focus.ts";
import { formatCount } from "../../ui/format.ts";
import type { Address } from "../../ui/search-params.ts";
import { Skeleton } from "../../ui/Skeleton.tsx";
import { QueryError } from "../errors/QueryError.tsx";
import { BulkActions } from "./BulkActions.tsx";
import { filterKeys, type View } from "./filters.ts";
import { Filters } from "./Filters.tsx";
import { FindingList } from "./FindingList.tsx";
import { totalOf } from "./labels.ts";
import { NoOpenFindings } from "./NoOpenFindings.tsx";
import { useFindings } from "./useFindings.ts";
import { useSelection } from "./useSelection.ts";

interface FindingsProps {
  overview: QaOverview;
  address: Address;
  view: View;
  onRerun(): void;
}

/** The list is empty: nothing matches, everything is ignored, or there are no issues. */
function Nothing({ overview, address, view }: FindingsProps): ReactElement {
  const { lastRun: last, ignored } = overview;
  if (view.filtered) {
    const none = Object.fromEntries(filterKeys.map((key) => [key, null]));
    const showAll = (): void => {
      address.change(none);
      focusHeading();
    };
    return (
      <EmptyState filtered action={<Button onClick={showAll}>Clear filters</Button>}>
        No findings match.
      </EmptyState>
    );
  }
  if (view.status === "ignored") return <EmptyState>Nothing is ignored.</EmptyState>;
  if (view.status === "fixed") return <EmptyState>Nothing fixed yet.</EmptyState>;
  if (ignored > 0 && view.status === "open") {
    return (
      <EmptyState
        action={
          <Button onClick={() => address.change({ status: "ignored" })}>
            Show {formatCount(ignored, "ignored finding")}
          </Button>
        }
      >
        No open issues. Everything found is ignored.
      </EmptyState>
    );
  }
  return <NoOpenFindings last={last} />;
}

/** The findings selected in the address, in all states of loading. */
export function Findings(props: FindingsProps): ReactElement {
  const { overview, address, view } = props;
  const found = useFindings(view);
  const { findings, total, isPlaceholderData: stale } = found;
  const selection = useSelection(findings);
  const clean = found.data !== undefined && total === 0 && !view.filtered && view.status === "open";
  const blank = clean && totalOf(overview.open) === 0 && overview.ignored === 0;
  return (
    <section className="qa-findings" aria-label="Findings">
      {!blank && <Filters address={address} view={view} overview={overview} findings={findings} />}
      <p className="unseen" role="status">
        {found.data && !stale && view.filtered && `${formatCount(total, "finding")} found`}
      </p>
      {found.isError && <QueryError what="the findings" query={found} />}
      {found.isPending && <Skeleton count={5} shape="row" label="Loading findings…" />}
      {found.data && !stale && total === 0 && <Nothing {...props} />}
      {findings.length > 0 && (
        <div className="results" data-stale={stale} aria-busy={stale}>
          <FindingList
            key={view.finding}
            findings={findings}
            selection={selection}
            opened={view.finding !== null}
            onRerun={props.onRerun}
          />
        </div>
      )}
      {found.hasMore && (
        <Button busy={found.isFetching} onClick={() => void found.fetchNextPage()}>
          Show more ({total} in total)
        </Button>
      )}
      <BulkActions selection={selection} />
    </section>
  );
}
