import "./qa.css";

import type { ReactElement } from "react";

import type { QaOverview } from "../../api/types.ts";
import { useAddress } from "../../ui/search-params.ts";
import { EmptyState } from "../../ui/EmptyState.tsx";
import { QueryError } from "../errors/QueryError.tsx";
import { Skeleton } from "../../ui/Skeleton.tsx";
import { Findings } from "./Findings.tsx";
import { IgnoreRules } from "./IgnoreRules.tsx";
import { LastRun, Schedule, UnfinishedRun } from "./LastRun.tsx";
import { QaHeader } from "./QaHeader.tsx";
import { RunButton, RunError } from "./RunButton.tsx";
import { RunProgress } from "./RunProgress.tsx";
import { Trend } from "./Trend.tsx";
import { useFindingsRefresh, useOverview } from "./useOverview.ts";
import { type QaRunActions, useQaRun } from "./useQaRun.ts";
import { viewOf } from "./filters.ts";

/** Past, current, and next QA runs. */
function QaRuns(props: { overview: QaOverview; qaRun: QaRunActions }): ReactElement {
  const { overview, qaRun } = props;
  const { lastRun: last, trend } = overview;
  return (
    <div className="qa-runs">
      <div className="qa-last-run">
        {qaRun.running && <RunProgress run={qaRun.running} steps={qaRun.steps} />}
        {last && <LastRun run={last} overview={overview} />}
        {last && <Schedule overview={overview} />}
      </div>
      <Trend trend={trend} />
    </div>
  );
}

function Content(props: { overview: QaOverview; qaRun: QaRunActions }): ReactElement {
  const { overview, qaRun } = props;
  const address = useAddress();
  const view = viewOf(address);
  const never = overview.lastRun === null && !qaRun.running;
  const seen = overview.lastRun !== null || overview.groups.length > 0;
  if (never && !seen) {
    return (
      <>
        <EmptyState action={<RunButton qaRun={qaRun} />}>
          QA hasn’t checked the site yet. A QA run follows every page and link like a visitor and
          changes nothing.
        </EmptyState>
        <Schedule overview={overview} />
      </>
    );
  }
  return (
    <>
      <QaRuns overview={overview} qaRun={qaRun} />
      {seen && (
        <Findings
          overview={overview}
          address={address}
          view={view}
          onRerun={() => qaRun.run.mutate()}
        />
      )}
      {seen && <IgnoreRules />}
    </>
  );
}

/** The QA page: runs and findings. */
export function QaPage(): ReactElement {
  const overviewQuery = useOverview();
  const overview = overviewQuery.data?.overview;
  const qaRun = useQaRun(overview);
  useFindingsRefresh(overview);
  return (
    <div className="page qa">
      <QaHeader overview={overview} qaRun={qaRun} />
      <RunError qaRun={qaRun} />
      {qaRun.newest && <UnfinishedRun run={qaRun.newest} />}
      {overviewQuery.isError && <QueryError what="the report" query={overviewQuery} />}
      {overviewQuery.isPending && <Skeleton count={4} shape="row" label="Loading report…" />}
      {overview && <Content overview={overview} qaRun={qaRun} />}
    </div>
  );
}
