import type { ReactElement } from "react";

import { LastRun, UnfinishedRun } from "../../features/qa/LastRun.tsx";
import { RunButton, RunError } from "../../features/qa/RunButton.tsx";
import { RunProgress } from "../../features/qa/RunProgress.tsx";
import { useFindingsRefresh, useOverview } from "../../features/qa/useOverview.ts";
import { useQaRun } from "../../features/qa/useQaRun.ts";
import { QueryError } from "../../features/errors/QueryError.tsx";
import { EmptyState } from "../../ui/EmptyState.tsx";
import { Skeleton } from "../../ui/Skeleton.tsx";
import { TabStyles } from "../TabStyles.tsx";
import css from "./qa-tab.css?inline";
import { QaFindings } from "./QaFindings.tsx";

/** Polling intervals while this is shown, in ms. */
const tabPace = { running: 2000, queued: 8000, else: 8000, hidden: false } as const;

/** The issues of this page and of the others, with their actions. */
export function QaTab({ onAside }: { onAside(): void }): ReactElement {
  const refresh = useOverview(tabPace);
  const overview = refresh.data?.overview;
  const qaRun = useQaRun(overview);
  useFindingsRefresh(overview);
  const never = overview && overview.lastRun === null && !qaRun.running;
  return (
    <>
      <TabStyles css={css} />
      <div className="tab-tools">
        <RunButton qaRun={qaRun} />
        <a href="/admin/qa">Open the report</a>
      </div>
      <div className="tab-list qa" role="region" aria-label="QA" tabIndex={0}>
        <RunError qaRun={qaRun} />
        {refresh.isError && <QueryError what="the report" query={refresh} />}
        {qaRun.newest && <UnfinishedRun run={qaRun.newest} />}
        {refresh.isPending && <Skeleton count={6} shape="line" />}
        {never && (
          <EmptyState>
            QA hasn’t checked the site yet. A QA run follows every page and link like a visitor and
            changes nothing.
          </EmptyState>
        )}
        {qaRun.running && <RunProgress run={qaRun.running} steps={qaRun.steps} />}
        {overview?.lastRun && <LastRun brief run={overview.lastRun} overview={overview} />}
        {overview?.lastRun && (
          <QaFindings
            overview={overview}
            failing={refresh.isError}
            onAside={onAside}
            onRerun={() => qaRun.run.mutate()}
          />
        )}
      </div>
    </>
  );
}
