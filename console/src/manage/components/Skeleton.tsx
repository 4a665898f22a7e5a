import type { ReactElement } from "react";

import { useLate } from "../../hooks/useLate.ts";

/**
 * Grey shapes in the place of what loads, from 200 ms on; the place itself is taken at once, so
 * that nothing moves.
 */
export function Skeleton(props: {
  count: number;
  /** How large each is: a row of a list, a card of a grid. */
  shape: "row" | "card";
  /** What loads, for who listens. */
  label: string;
}): ReactElement {
  const late = useLate(true);
  const { shape } = props;
  return (
    <div className={`skeleton ${shape}s`} data-late={late} role="status">
      {late && <span className="unseen">{props.label}</span>}
      {Array.from({ length: props.count }, (_, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- the shapes are all alike
        <span key={index} className={`skeleton-${shape}`} aria-hidden="true" />
      ))}
    </div>
  );
}
