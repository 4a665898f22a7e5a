import { type ReactElement, useEffect, useId, useRef } from "react";

import { usePagePath } from "../../api/context.tsx";
import type { QaFinding, QaOverview } from "../../api/types.ts";
import type { FindingProps, FoldedFindings } from "../../features/qa/FindingItem.tsx";
import { FindingList } from "../../features/qa/FindingList.tsx";
import { viewOf } from "../../features/qa/filters.ts";
import { occurrenceOn, partitionByPage } from "../../features/qa/group-findings.ts";
import { NoOpenFindings } from "../../features/qa/NoOpenFindings.tsx";
import { useFindings } from "../../features/qa/useFindings.ts";
import { ErrorState } from "../../features/errors/ErrorState.tsx";
import { Button } from "../../ui/Button.tsx";
import { EmptyState } from "../../ui/EmptyState.tsx";
import { formatCount } from "../../ui/format.ts";
import { Skeleton } from "../../ui/Skeleton.tsx";
import { useMediaQuery } from "../../ui/useMediaQuery.ts";
import { useConsoleState } from "../useConsoleState.ts";
import { useHighlight } from "./useHighlight.ts";

/** Findings that are open or have a task. */
const openView = viewOf({ params: new URLSearchParams() });

/** Open findings of this page and of the others. */
function useOpenFindings() {
  const path = usePagePath();
  const mine = useFindings({ ...openView, url: path });
  const all = useFindings(openView);
  const ids = new Set(mine.findings.map(({ id }) => id));
  const known = [...mine.findings, ...all.findings.filter(({ id }) => !ids.has(id))];
  return {
    ...partitionByPage(known, path),
    unlisted: Math.max(0, all.total - known.length),
    isPending: mine.isPending || all.isPending,
    isFetching: mine.isFetching || all.isFetching,
    error: mine.error ?? all.error,
    refetch() {
      void mine.refetch();
      void all.refetch();
    },
  };
}

/** Outlines the elements of this page that findings are about. */
function useFoldedHere(onAside: () => void): FoldedFindings {
  const narrow = useMediaQuery("(max-width: 767.98px)");
  const path = usePagePath();
  const mark = useHighlight();
  const button = useRef<HTMLButtonElement>(null);
  return {
    onToggle(finding, at) {
      const place = occurrenceOn(finding, path);
      if (at === null || place === null) mark.hide();
      else mark.show(finding.id, place, at);
    },
    lead(finding) {
      const place = occurrenceOn(finding, path);
      if (place === null) return null;
      if (mark.missing === finding.id) {
        return <p className="muted">Its element isn’t visible on this page right now.</p>;
      }
      return (
        <Button
          ref={button}
          variant="small"
          onClick={() => {
            if (narrow) onAside();
            if (button.current) mark.show(finding.id, place, button.current);
          }}
        >
          Show on the page
        </Button>
      );
    },
  };
}

const elsewhere: FoldedFindings = { lead: () => null, onToggle() {} };

function Section(
  props: FindingProps & { title: string; count: number; findings: readonly QaFinding[] },
): ReactElement {
  const { title, count, ...list } = props;
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <h3 id={id}>
        {title} <span className="quiet">{count}</span>
      </h3>
      {list.findings.length === 0 ? (
        <p className="muted">No open issues on this page.</p>
      ) : (
        <FindingList {...list} />
      )}
    </section>
  );
}

/** Nothing is open: no issues, or everything found is ignored. */
function Nothing({ overview }: { overview: QaOverview }): ReactElement {
  const { ignored, lastRun } = overview;
  if (ignored === 0) return <NoOpenFindings last={lastRun} />;
  return (
    <EmptyState
      action={
        <a className="button" href="/admin/qa?status=ignored">
          Show {formatCount(ignored, "ignored finding")}
        </a>
      }
    >
      Everything found is ignored.
    </EmptyState>
  );
}

/** Open findings: first of this page, then of the others. */
export function QaFindings(props: {
  overview: QaOverview;
  /** Whether the last request to the server failed. */
  failing: boolean;
  /** Hides the console if it covers the page. */
  onAside(): void;
  onRerun(): void;
}): ReactElement {
  const { overview, failing, onRerun } = props;
  const { showTask } = useConsoleState();
  const found = useOpenFindings();
  const here = useFoldedHere(props.onAside);
  const { here: mine, others, unlisted, error } = found;
  const isStuck = error !== null && !failing;
  const retry = useRef(found.refetch);
  retry.current = found.refetch;
  useEffect(() => {
    // A server failure is reported once; when it responds again, the list is loaded.
    if (isStuck) retry.current();
  }, [isStuck]);
  const total = mine.length + others.length;
  const rest = { opened: false, onRerun, onTask: showTask };
  return (
    <>
      {isStuck && (
        <ErrorState
          what="Couldn’t load findings."
          error={error}
          note={total > 0 ? "You’re seeing what was last loaded." : ""}
          busy={found.isFetching}
          onRetry={found.refetch}
        />
      )}
      {found.isPending && !isStuck && <Skeleton count={4} shape="line" />}
      {!found.isPending && error === null && total === 0 && <Nothing overview={overview} />}
      {total > 0 && (
        <>
          <Section
            title="On this page"
            count={mine.length}
            findings={mine}
            folded={here}
            {...rest}
          />
          {others.length > 0 && (
            <Section
              title="Elsewhere"
              count={others.length + unlisted}
              findings={others}
              folded={elsewhere}
              {...rest}
            />
          )}
        </>
      )}
      {unlisted > 0 && (
        <p className="muted">
          {formatCount(unlisted, "finding")} more: <a href="/admin/qa">see the report</a>.
        </p>
      )}
    </>
  );
}
