import type { ReactElement } from "react";

import { minWidth, maxWidth } from "./dock-width.ts";

/** The dock's left edge: drag it, or use the arrow keys. */
export function Resizer(props: { width: number; onWidth(width: number): void }): ReactElement {
  return (
    <div
      className="resizer"
      role="separator"
      aria-orientation="vertical"
      aria-label="Width of the console"
      aria-valuenow={props.width}
      aria-valuemin={minWidth}
      aria-valuemax={maxWidth}
      tabIndex={0}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={(event) => {
        if (event.currentTarget.hasPointerCapture(event.pointerId)) {
          props.onWidth(document.documentElement.clientWidth - 12 - event.clientX);
        }
      }}
      onKeyDown={(event) => {
        const step = { ArrowLeft: 20, ArrowRight: -20 }[event.key];
        if (step !== undefined) props.onWidth(props.width + step);
      }}
    />
  );
}
