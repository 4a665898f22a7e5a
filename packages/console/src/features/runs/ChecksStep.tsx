import type { ReactElement } from "react";

import { checkedTitle } from "./check-labels.ts";
import { ChecksList } from "./ChecksList.tsx";
import type { ChecksItem } from "./run-view.ts";
import { Step } from "./Step.tsx";
import { timeOf } from "./ToolStep.tsx";

/** The look at the built pages, as one step that opens to what was found. */
export function ChecksStep({ item, now }: { item: ChecksItem; now: number }): ReactElement {
  const { report } = item;
  return (
    <Step
      state={item.state}
      title={report === null ? "Checking the changed pages" : checkedTitle(report)}
      took={timeOf(item, now)}
    >
      {report !== null && report.findings.length > 0 && <ChecksList report={report} />}
    </Step>
  );
}
