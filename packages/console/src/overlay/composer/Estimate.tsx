import type { ReactElement } from "react";

import type { EstimateLine } from "./estimate-labels.ts";

/** What sending will take, after the runs before; a ceiling in its way is said aloud. */
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
