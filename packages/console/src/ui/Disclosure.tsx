import { type ReactElement, type ReactNode, useEffect, useId, useState } from "react";

import { Icon } from "./Icon.tsx";

/** Opens or closes what is folded whenever `turn` grows. */
export interface Folds {
  open: boolean;
  turn: number;
}

/** A line that opens to more, which is there only while it is open. */
export function Disclosure(props: {
  /** The class of the line. */
  look: "line" | "step";
  label: ReactNode;
  /** The class of what it opens to. */
  inside?: string;
  folds?: Folds | undefined;
  children: ReactNode;
}): ReactElement {
  const { folds } = props;
  const [open, setOpen] = useState(false);
  const id = useId();
  const turn = folds?.turn ?? 0;
  const wanted = folds?.open ?? false;
  useEffect(() => {
    if (turn > 0) setOpen(wanted);
  }, [turn, wanted]);
  return (
    <>
      <button
        type="button"
        className={props.look}
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setOpen(!open)}
      >
        {props.label} <Icon name="chevron" />
      </button>
      <div id={id} className={props.inside} hidden={!open}>
        {open && props.children}
      </div>
    </>
  );
}
