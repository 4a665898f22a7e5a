import { type ReactElement, useState } from "react";

import { withQuery } from "../../api/client.ts";
import type { QaOverview } from "../../api/types.ts";
import { Button } from "../../ui/Button.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { Menu } from "../../ui/Menu.tsx";
import { PageHeader } from "../../ui/PageHeader.tsx";
import { useAddress } from "../../ui/search-params.ts";
import { Baseline } from "./Baseline.tsx";
import { queryOf, viewOf } from "./filters.ts";
import { totalOf } from "./labels.ts";
import { RunButton } from "./RunButton.tsx";
import { api } from "./useOverview.ts";
import type { QaRunActions } from "./useQaRun.ts";

const all = "open,queued,fixed,ignored";

const formats = [
  ["json", "JSON"],
  ["sarif", "SARIF, for code hosts"],
  ["junit", "JUnit, for build servers"],
  ["csv", "CSV, for spreadsheets"],
] as const;

/** Exports the findings with the shown statuses as a file. */
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

/** The page's heading and actions. */
export function QaHeader(props: {
  overview: QaOverview | undefined;
  qaRun: QaRunActions;
}): ReactElement {
  const { overview, qaRun } = props;
  const [asking, setAsking] = useState(false);
  const open = overview ? totalOf(overview.open) : 0;
  return (
    <PageHeader title="QA">
      {overview?.lastRun && <ExportMenu />}
      {open > 0 && <Button onClick={() => setAsking(true)}>Ignore existing issues</Button>}
      {overview && (overview.lastRun || overview.currentRun) && <RunButton qaRun={qaRun} />}
      {asking && <Baseline open={open} onClose={() => setAsking(false)} />}
    </PageHeader>
  );
}
