import "./qa.css";

import type { ReactElement } from "react";

import type { QaOverview } from "../../api/types.ts";
import { useAddress } from "../../ui/search-params.ts";
import { EmptyState } from "../../ui/EmptyState.tsx";
import { QueryError } from "../shared/QueryError.tsx";
import { Skeleton } from "../../ui/Skeleton.tsx";
import { Findings } from "./Findings.tsx";
import { IgnoreRules } from "./IgnoreRules.tsx";
import { LastRun, Schedule, UnfinishedRun } from "./LastRun.tsx";
import { QaHeader } from "./QaHeader.tsx";
import { RunButton, RunError } from "./RunButton.tsx";
import { RunProgress } from "./RunProgress.tsx";
import { Trend } from "./Trend.tsx";
import { useFindingsRefresh, useNewestRun, useOverview } from "./useOverview.ts";
import { type QaRunActions, useQaRun } from "./useQaRun.ts";
import { viewOf } from "./filters.ts";

/** What passes there were, are and will be. */
function Passes(props: { overview: QaOverview; pass: QaRunActions }): ReactElement {
  const { overview, pass } = props;
  const { last, trend } = overview;
  return (
    <div className="qa-passes">
      <div className="qa-told">
        {pass.running && <RunProgress pass={pass.running} steps={pass.steps} />}
        {last && <LastRun pass={last} overview={overview} />}
        {last && <Schedule overview={overview} />}
      </div>
      <Trend trend={trend} />
    </div>
  );
}

function Content(props: { overview: QaOverview; pass: QaRunActions }): ReactElement {
  const { overview, pass } = props;
  const address = useAddress();
  const view = viewOf(address);
  const never = overview.last === null && !pass.running;
  const seen = overview.last !== null || overview.groups.length > 0;
  if (never && !seen) {
    return (
      <>
        <EmptyState action={<RunButton pass={pass} />}>
          The site has not been looked at yet. A pass follows every page and link as a visitor
          would, and changes nothing.
        </EmptyState>
        <Schedule overview={overview} />
      </>
    );
  }
  return (
    <>
      <Passes overview={overview} pass={pass} />
      {seen && (
        <Findings
          overview={overview}
          address={address}
          view={view}
          onRerun={() => pass.run.mutate()}
        />
      )}
      {seen && <IgnoreRules />}
    </>
  );
}

/** The page of the QA engine: how the passes go, and what they found. */
export function QaPage(): ReactElement {
  const look = useOverview();
  const overview = look.data?.overview;
  const newest = useNewestRun(overview);
  const pass = useQaRun(overview, newest);
  useFindingsRefresh(overview);
  return (
    <div className="page qa">
      <QaHeader overview={overview} pass={pass} />
      <RunError pass={pass} />
      {newest && <UnfinishedRun pass={newest} />}
      {look.isError && <QueryError what="The report" query={look} />}
      {look.isPending && <Skeleton count={4} shape="row" label="The report is loading…" />}
      {overview && <Content overview={overview} pass={pass} />}
    </div>
  );
}
