import type { ReactElement } from "react";

import type { EstimateLine } from "./estimate-labels.ts";

/** The estimate for sending, from previous runs; a limit in its way is announced. */
export function Estimate({ line }: { line: EstimateLine | null }): ReactElement {
  return (
    <span className="estimate" role="status">
      {line !== null && !line.blocked && <span className="quiet">{line.text}</span>}
      {line !== null && line.warning !== null && (
        <span className="warning">
          {line.warning} {line.blocked && <a href="/admin/settings">Change spending limits</a>}
        </span>
      )}
    </span>
  );
}
