import type { ReactElement } from "react";

import { Diff, type DiffFile } from "./Diff.tsx";
import { FileName } from "./FileName.tsx";
import type { StepState } from "./run-view.ts";
import { Step, type StepProps } from "./Step.tsx";

/** A changed file as a card that opens to its diff. */
export function FileCard(props: {
  file: DiffFile;
  state: StepState;
  took: number | null;
  diffs: StepProps["forced"];
}): ReactElement {
  return (
    <div className="card">
      <Step
        state={props.state}
        title={<FileName file={props.file} />}
        took={props.took}
        forced={props.diffs}
      >
        <Diff file={props.file} />
      </Step>
    </div>
  );
}
