import { type ReactElement, useId, useState } from "react";

import type { Run } from "../../api/types.ts";
import { formatCount } from "../../ui/format.ts";
import { Icon } from "../../ui/Icon.tsx";
import type { Change } from "./history-groups.ts";
import { HistoryItem } from "./HistoryItem.tsx";

/** A change with the runs that led to it folded below. */
export function HistoryChange(props: {
  change: Change;
  /** How many changes were published since. */
  since: number;
  onOpen(run: Run): void;
  onRun(runId: string): void;
}): ReactElement {
  const { run, earlier } = props.change;
  const [open, setOpen] = useState(false);
  const id = useId();
  return (
    <li className="entry">
      <HistoryItem run={run} since={props.since} onOpen={props.onOpen} onRun={props.onRun} />
      {earlier.length > 0 && (
        <button
          type="button"
          className="line"
          aria-expanded={open}
          aria-controls={id}
          onClick={() => setOpen(!open)}
        >
          {`Goes on from ${formatCount(earlier.length, "earlier run")}`} <Icon name="chevron" />
        </button>
      )}
      <ol id={id} className="earlier" hidden={!open}>
        {earlier.map((before) => (
          <li key={before.id}>
            <HistoryItem run={before} since={0} onOpen={props.onOpen} onRun={null} />
          </li>
        ))}
      </ol>
    </li>
  );
}
