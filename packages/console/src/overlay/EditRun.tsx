import type { ReactElement } from "react";

import { type CurrentRun, RunPanel, type RunPanelProps } from "./RunPanel.tsx";
import { useTitle } from "./useTitle.ts";

/** The run in the Edit tab, also shown in the tab's title; `run` once its state is known. */
export function EditRun(props: RunPanelProps & { run: CurrentRun | null }): ReactElement {
  const { run, ...panel } = props;
  useTitle(run);
  return <RunPanel {...panel} />;
}
