import type { ReactElement } from "react";

import { checkedTitle } from "./check-labels.ts";
import { ChecksList } from "./ChecksList.tsx";
import type { ChecksItem } from "./run-view.ts";
import { Step } from "./Step.tsx";
import { timeOf } from "./ToolStep.tsx";

/** The check of the built pages, as a step that expands to the findings. */
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
