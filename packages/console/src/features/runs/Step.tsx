import { type ReactElement, type ReactNode, useEffect, useId, useState } from "react";

import { Icon } from "../../ui/Icon.tsx";
import { formatMilliseconds } from "./labels.ts";
import type { StepState } from "./run-view.ts";
import { StateIcon } from "./StateIcon.tsx";

export interface StepProps {
  state: StepState;
  title: ReactNode;
  /** Milliseconds; null shows no time. */
  took: number | null;
  /** What opening the step shows; null for a step without more to say. */
  children?: ReactNode;
  startsOpen?: boolean;
  /** Opens or closes the step whenever its `turn` grows. */
  forced?: { open: boolean; turn: number } | undefined;
}

/** One line of a run that may open to its details. */
export function Step(props: StepProps): ReactElement {
  const [open, setOpen] = useState(props.startsOpen ?? false);
  const id = useId();
  const turn = props.forced?.turn ?? 0;
  const forcedOpen = props.forced?.open ?? false;
  useEffect(() => {
    if (turn > 0) setOpen(forcedOpen);
  }, [turn, forcedOpen]);
  const line = (
    <>
      <StateIcon state={props.state} />
      <span className="title">{props.title}</span>
      {props.took !== null && <span className="took">{formatMilliseconds(props.took)}</span>}
    </>
  );
  if (!props.children) return <div className="step">{line}</div>;
  return (
    <>
      <button
        type="button"
        className="step"
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setOpen(!open)}
      >
        {line}
        <Icon name="chevron" />
      </button>
      <div id={id} className="details" hidden={!open}>
        {open && props.children}
      </div>
    </>
  );
}
