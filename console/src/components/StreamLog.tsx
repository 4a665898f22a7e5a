import { type ReactElement, useEffect, useLayoutEffect, useRef, useState } from "react";

import { useNow } from "../hooks/useNow.ts";
import type { Item, RunView } from "../stream.ts";
import { isActive } from "../words.ts";
import { BuildStep } from "./BuildStep.tsx";
import { Icon } from "./Icon.tsx";
import { ExploreStep, ToolStep } from "./ToolStep.tsx";
import { UsageLine } from "./UsageLine.tsx";

export interface StreamLogProps {
  view: RunView;
  diffs: { open: boolean; turn: number };
}

function ItemView(props: {
  item: Item;
  now: number;
  diffs: StreamLogProps["diffs"];
}): ReactElement {
  const { item, now } = props;
  switch (item.kind) {
    case "text":
      // Tokens are not announced: the steps are, and the answer can be read when it is whole.
      return (
        <p className="text" aria-live="off">
          {item.text}
        </p>
      );
    case "explore":
      return <ExploreStep item={item} now={now} />;
    case "build":
      return <BuildStep item={item} now={now} />;
    case "note":
      return <p className="reason">{item.text}</p>;
    case "tool":
      return <ToolStep item={item} now={now} diffs={props.diffs} />;
  }
}

/** How near to its end, in px, a scrolled log counts as following it. */
const following = 20;

/** The run's steps; follows its end unless the reader has scrolled away. */
export function StreamLog({ view, diffs }: StreamLogProps): ReactElement {
  const active = view.status !== null && isActive(view.status);
  const now = useNow(active);
  const box = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  const [away, setAway] = useState(false);

  function toEnd(): void {
    if (box.current) box.current.scrollTop = box.current.scrollHeight;
  }
  useLayoutEffect(() => {
    if (follows.current) toEnd();
  });
  // A log that is hidden while it grows, or grows by being opened, catches up when it is resized.
  useEffect(() => {
    const observer = new ResizeObserver(() => {
      if (follows.current) toEnd();
    });
    if (box.current) observer.observe(box.current);
    return () => observer.disconnect();
  }, []);

  const silent = active && view.lastEventAt > 0 && now - view.lastEventAt >= 5000;
  return (
    <div className="log-frame">
      <div
        className="log"
        ref={box}
        tabIndex={0}
        role="region"
        aria-label="This change"
        onScroll={({ currentTarget: at }) => {
          follows.current = at.scrollHeight - at.scrollTop - at.clientHeight <= following;
          setAway(!follows.current);
        }}
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
                <ItemView item={item} now={now} diffs={diffs} />
              </li>
            ))}
          </ol>
        </div>
        {silent && <p className="quiet">Still on it…</p>}
        <UsageLine usage={view.usage} model={view.model} />
      </div>
      {away && (
        <button
          type="button"
          className="button small latest"
          onClick={() => {
            follows.current = true;
            setAway(false);
            toEnd();
          }}
        >
          <Icon name="down" /> Jump to latest
        </button>
      )}
    </div>
  );
}
