import { type ReactElement, useState } from "react";

import { asApiError, withQuery } from "../../api/client.ts";
import type { QaOverview } from "../../api/types.ts";
import { Button } from "../../ui/Button.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { Menu } from "../../ui/Menu.tsx";
import { Notice } from "../../ui/Notice.tsx";
import { PageHeader } from "../../ui/PageHeader.tsx";
import { useAddress } from "../../ui/search-params.ts";
import { Baseline } from "./Baseline.tsx";
import { queryOf, viewOf } from "./filters.ts";
import { totalOf } from "./labels.ts";
import { api } from "./useOverview.ts";
import type { QaRunActions } from "./useQaRun.ts";

const all = "open,queued,fixed,ignored";

const formats = [
  ["json", "JSON"],
  ["sarif", "SARIF, for code hosts"],
  ["junit", "JUnit, for build servers"],
  ["csv", "CSV, for spreadsheets"],
] as const;

/** The findings of the state that is shown, as a file. */
function ExportMenu(): ReactElement {
  const { status } = queryOf(viewOf(useAddress()));
  return (
    <Menu label="Export the findings" text="Export">
      {(close) =>
        formats.map(([format, label]) => (
          <a
            key={format}
            className="button bare"
            href={withQuery(`${api}/export`, { format, status: status ?? all })}
            download
            onClick={close}
          >
            <Icon name="down" />
            {label}
          </a>
        ))
      }
    </Menu>
  );
}

/** Begins a pass, or ends the one that runs; one button, so that the focus stays on it. */
export function RunButton({ pass }: { pass: QaRunActions }): ReactElement {
  const { running, run, stop } = pass;
  if (!running) {
    return (
      <Button variant="primary" icon="play" busy={run.isPending} onClick={() => run.mutate()}>
        Run now
      </Button>
    );
  }
  const stopping = stop.isPending || stop.isSuccess;
  return (
    <Button icon="stop" busy={stopping} onClick={() => stop.mutate(running.id)}>
      {stopping ? "Stopping…" : "Stop"}
    </Button>
  );
}

/** What is refused about a pass. */
export function RunError({ pass }: { pass: QaRunActions }): ReactElement | null {
  const { run, stop } = pass;
  if (run.isError) {
    return (
      <Notice
        kind="error"
        title="The pass was not begun."
        actions={
          <Button icon="reload" busy={run.isPending} onClick={() => run.mutate()}>
            Retry
          </Button>
        }
      >
        {`${asApiError(run.error).message} The findings are as they were.`}
      </Notice>
    );
  }
  if (!stop.isError) return null;
  return (
    <Notice kind="error" title="The pass was not stopped.">
      {`${asApiError(stop.error).message} It goes on.`}
    </Notice>
  );
}

/** The page's heading and what can be done with all of it. */
export function QaHeader(props: {
  overview: QaOverview | undefined;
  pass: QaRunActions;
}): ReactElement {
  const { overview, pass } = props;
  const [asking, setAsking] = useState(false);
  const open = overview ? totalOf(overview.open) : 0;
  return (
    <PageHeader title="QA">
      {overview?.lastRun && <ExportMenu />}
      {open > 0 && <Button onClick={() => setAsking(true)}>Start quiet</Button>}
      {overview && (overview.lastRun || overview.currentRun) && <RunButton pass={pass} />}
      {asking && <Baseline open={open} onClose={() => setAsking(false)} />}
    </PageHeader>
  );
}
