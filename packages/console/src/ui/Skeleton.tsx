import type { ReactElement } from "react";

import { useDelayed } from "./useDelayed.ts";

export interface SkeletonProps {
  count: number;
  /** How large each is: a line of text, a row of a list, a card of a grid. */
  shape: "line" | "row" | "card";
  /** What loads, for who listens. */
  label?: string;
}

/**
 * Grey shapes in the place of what loads, from 200 ms on; the place itself is taken at once, so
 * that nothing moves.
 */
export function Skeleton({ count, shape, label = "Loading…" }: SkeletonProps): ReactElement {
  const late = useDelayed(true);
  return (
    <div className={`skeleton ${shape}s`} data-late={late} role="status">
      {late && <span className="unseen">{label}</span>}
      {Array.from({ length: count }, (_, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- the shapes are all alike
        <span key={index} className={`skeleton-${shape}`} aria-hidden="true" />
      ))}
    </div>
  );
}
