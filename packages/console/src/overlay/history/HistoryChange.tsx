import type { ReactElement } from "react";

import type { Run } from "../../api/types.ts";
import { Disclosure } from "../../ui/Disclosure.tsx";
import { formatCount } from "../../ui/format.ts";
import type { Change } from "./history-groups.ts";
import { HistoryItem } from "./HistoryItem.tsx";

/** A change with its earlier runs folded below. */
export function HistoryChange(props: {
  change: Change;
  /** The number of changes published since. */
  since: number;
  onOpen(run: Run): void;
  onRun(runId: string): void;
}): ReactElement {
  const { run, earlier } = props.change;
  return (
    <li className="entry">
      <HistoryItem run={run} since={props.since} onOpen={props.onOpen} onRun={props.onRun} />
      {earlier.length > 0 && (
        <Disclosure
          className="line"
          label={`Continues from ${formatCount(earlier.length, "earlier run")}`}
        >
          <ol className="earlier">
            {earlier.map((before) => (
              <li key={before.id}>
                <HistoryItem run={before} since={0} onOpen={props.onOpen} onRun={null} />
              </li>
            ))}
          </ol>
        </Disclosure>
      )}
    </li>
  );
}
