import { type ReactElement, type ReactNode, useEffect, useId, useState } from "react";

import { Icon } from "./Icon.tsx";

/** Expands or collapses all content whenever `turn` increases. */
export interface Folds {
  open: boolean;
  turn: number;
}

/** A button that shows and hides content, which is rendered only while it is shown. */
export function Disclosure(props: {
  /** The button's class. */
  className: "line" | "step";
  label: ReactNode;
  /** The content's class. */
  contentClassName?: string;
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
        className={props.className}
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setOpen(!open)}
      >
        {props.label} <Icon name="chevron" />
      </button>
      <div id={id} className={props.contentClassName} hidden={!open}>
        {open && props.children}
      </div>
    </>
  );
}
