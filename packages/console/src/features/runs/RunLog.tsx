import type { ReactElement } from "react";

import type { Folds } from "../../ui/Disclosure.tsx";
import type { Run } from "../../api/types.ts";
import { Button } from "../../ui/Button.tsx";
import { useNow } from "../../ui/useNow.ts";
import { isActive, silenceLabel } from "./labels.ts";
import { LogItems } from "./LogItems.tsx";
import { Origin } from "./Origin.tsx";
import type { RunView } from "./run-view.ts";
import { UsageLine } from "./UsageLine.tsx";
import { UserMessage } from "./UserMessage.tsx";
import { useStickyScroll } from "./useStickyScroll.ts";

/** After this much silence, in ms, the log says that work continues, and for how long. */
const silence = 5000;

/** A run's instruction and steps; follows the end unless the user has scrolled away. */
export function RunLog(props: {
  view: RunView;
  origin: Run["origin"];
  diffs: Folds;
  /** Shown if there are no steps. */
  empty: string | null;
}): ReactElement {
  const { view, origin, empty } = props;
  const active = view.status !== null && isActive(view.status);
  const now = useNow(active);
  const follow = useStickyScroll();
  const silentFor = active && view.lastEventAt > 0 ? now - view.lastEventAt : 0;
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
        {origin !== null && <Origin origin={origin} diffs={props.diffs} />}
        {view.instruction !== "" && <UserMessage text={view.instruction} />}
        <div role="log" aria-label="Steps" aria-relevant="additions">
          <LogItems items={view.items} now={now} diffs={props.diffs} />
        </div>
        {silentFor >= silence ? (
          <p className="quiet">{silenceLabel(view, silentFor)}</p>
        ) : (
          empty !== null && view.items.length === 0 && <p className="quiet">{empty}</p>
        )}
        <UsageLine usage={view.usage} model={view.model} />
      </div>
      {follow.isScrolledAway && (
        <Button variant="small" icon="down" mark="latest" onClick={follow.scrollToEnd}>
          Jump to latest
        </Button>
      )}
    </div>
  );
}
