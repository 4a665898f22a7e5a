import "../../styles/qa.css";

import type { ReactElement } from "react";

import type { QaOverview } from "../../types.ts";
import { useAddress } from "../address.ts";
import { EmptyState } from "../components/EmptyState.tsx";
import { ErrorState } from "../components/ErrorState.tsx";
import { Skeleton } from "../components/Skeleton.tsx";
import { Findings } from "./Findings.tsx";
import { IgnoreRules } from "./IgnoreRules.tsx";
import { LastPass, Schedule, Unfinished } from "./LastPass.tsx";
import { PassButton, PassHead, PassTrouble } from "./PassHead.tsx";
import { PassSteps } from "./PassSteps.tsx";
import { Trend } from "./Trend.tsx";
import { useFresh, useNewestPass, useOverview } from "./useOverview.ts";
import { type PassActions, usePass } from "./usePass.ts";
import { viewOf } from "./view.ts";

/** What passes there were, are and will be. */
function Passes(props: { overview: QaOverview; pass: PassActions }): ReactElement {
  const { overview, pass } = props;
  const { last, trend } = overview;
  return (
    <div className="qa-passes">
      <div className="qa-told">
        {pass.running && <PassSteps pass={pass.running} steps={pass.steps} />}
        {last && <LastPass pass={last} overview={overview} />}
        {last && <Schedule overview={overview} />}
      </div>
      <Trend trend={trend} />
    </div>
  );
}

function Content(props: { overview: QaOverview; pass: PassActions }): ReactElement {
  const { overview, pass } = props;
  const address = useAddress();
  const view = viewOf(address);
  const never = overview.last === null && !pass.running;
  const seen = overview.last !== null || overview.groups.length > 0;
  if (never && !seen) {
    return (
      <>
        <EmptyState action={<PassButton pass={pass} />}>
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
  const newest = useNewestPass(overview);
  const pass = usePass(overview, newest);
  useFresh(overview);
  return (
    <div className="page qa">
      <PassHead overview={overview} pass={pass} />
      <PassTrouble pass={pass} />
      {newest && <Unfinished pass={newest} />}
      {look.isError && (
        <ErrorState
          what={overview ? "The report can’t be looked at again." : "The report can’t be shown."}
          kept={overview ? "What is here is how it was before." : ""}
          error={look.error}
          busy={look.isFetching}
          onRetry={() => void look.refetch()}
        />
      )}
      {look.isPending && <Skeleton count={4} shape="row" label="The report is loading…" />}
      {overview && <Content overview={overview} pass={pass} />}
    </div>
  );
}
