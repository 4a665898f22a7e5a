import type { ReactElement } from "react";

import { useFollow } from "../hooks/useFollow.ts";
import { useNow } from "../hooks/useNow.ts";
import type { RunView } from "../stream.ts";
import { isActive } from "../words.ts";
import { Icon } from "./Icon.tsx";
import { type Diffs, LogItem } from "./LogItem.tsx";
import { UsageLine } from "./UsageLine.tsx";

/** After so much silence, in ms, the log says that the work goes on. */
const silence = 5000;

/** The run's instruction and steps; follows its end unless the reader has scrolled away. */
export function StreamLog({ view, diffs }: { view: RunView; diffs: Diffs }): ReactElement {
  const active = view.status !== null && isActive(view.status);
  const now = useNow(active);
  const follow = useFollow();
  const silent = active && view.lastEventAt > 0 && now - view.lastEventAt >= silence;
  return (
    <div className="log-frame">
      <div
        className="log"
        ref={follow.box}
        tabIndex={0}
        role="region"
        aria-label="This change"
        onScroll={follow.onScroll}
        onClick={follow.onClick}
      >
        {view.instruction !== "" && (
          <p className="owner">
            <span className="unseen">You: </span>
            {view.instruction}
          </p>
        )}
        <div role="log" aria-label="Steps" aria-relevant="additions">
          <ol>
            {view.items.map((item) => (
              <li key={item.key}>
                <LogItem item={item} now={now} diffs={diffs} />
              </li>
            ))}
          </ol>
        </div>
        {silent && <p className="quiet">Still on it…</p>}
        <UsageLine usage={view.usage} model={view.model} />
      </div>
      {follow.away && (
        <button type="button" className="button small latest" onClick={follow.toLatest}>
          <Icon name="down" /> Jump to latest
        </button>
      )}
    </div>
  );
}
