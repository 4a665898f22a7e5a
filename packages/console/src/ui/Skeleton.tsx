import type { ReactElement } from "react";

import { useDelayed } from "./useDelayed.ts";

export interface SkeletonProps {
  count: number;
  /** The size of each: a line of text, a row of a list, a card in a grid. */
  shape: "line" | "row" | "card";
  /** What is loading, for screen readers. */
  label?: string;
}

/**
 * Gray placeholders for loading content, visible after 200 ms; the space is reserved immediately,
 * so that nothing moves.
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
