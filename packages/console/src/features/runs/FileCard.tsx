import type { ReactElement } from "react";

import type { Folds } from "../../ui/Disclosure.tsx";
import { Diff, type DiffFile } from "./Diff.tsx";
import { FileName } from "./FileName.tsx";
import type { StepState } from "./run-view.ts";
import { Step } from "./Step.tsx";

/** A changed file as a card that expands to its diff. */
export function FileCard(props: {
  file: DiffFile;
  state: StepState;
  took: number | null;
  diffs: Folds;
}): ReactElement {
  return (
    <div className="card">
      <Step
        state={props.state}
        title={<FileName file={props.file} />}
        took={props.took}
        folds={props.diffs}
      >
        <Diff file={props.file} />
      </Step>
    </div>
  );
}
