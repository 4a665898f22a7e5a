import type { ReactElement, ReactNode } from "react";

import { Disclosure, type Folds } from "../../ui/Disclosure.tsx";
import { formatMilliseconds } from "./labels.ts";
import type { StepState } from "./run-view.ts";
import { StateIcon } from "./StateIcon.tsx";

/** A line of a run that may expand to details. */
export function Step(props: {
  state: StepState;
  title: ReactNode;
  /** Milliseconds; null shows no time. */
  took: number | null;
  /** The details; null if there are none. */
  children?: ReactNode;
  folds?: Folds;
}): ReactElement {
  const line = (
    <>
      <StateIcon state={props.state} />
      <span className="title">{props.title}</span>
      {props.took !== null && <span className="took">{formatMilliseconds(props.took)}</span>}
    </>
  );
  if (!props.children) return <div className="step">{line}</div>;
  return (
    <Disclosure className="step" label={line} contentClassName="details" folds={props.folds}>
      {props.children}
    </Disclosure>
  );
}
