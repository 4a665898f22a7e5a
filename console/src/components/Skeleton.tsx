import type { ReactElement } from "react";

import { useLate } from "../hooks/useLate.ts";

/** Grey lines while something loads, from 200 ms on. */
export function Skeleton({ lines }: { lines: number }): ReactElement | null {
  const late = useLate(true);
  if (!late) return null;
  return (
    <div className="skeleton" role="status">
      <span className="unseen">Loading…</span>
      {Array.from({ length: lines }, (_, line) => (
        // oxlint-disable-next-line react/no-array-index-key -- the lines are all alike
        <span key={line} />
      ))}
    </div>
  );
}
