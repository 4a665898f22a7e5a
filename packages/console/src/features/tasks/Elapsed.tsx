import type { ReactElement } from "react";

import { useNow } from "../../ui/useNow.ts";

/** A time that counts up each second while it is `ticking`; `tell` gets the server's time in ms. */
export function Elapsed(props: {
  ticking: boolean;
  /** How far the server's clock is ahead of this browser's, in ms. */
  skew: number;
  tell(now: number): string | null;
}): ReactElement {
  const now = useNow(props.ticking);
  // For a time that stands still, the clock of the last poll is used.
  const at = props.ticking ? now : Date.now();
  return <span className="elapsed">{props.tell(at + props.skew)}</span>;
}
