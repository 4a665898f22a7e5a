import type { ReactElement } from "react";

import type { Folds } from "../../ui/Disclosure.tsx";
import { LogItem } from "./LogItem.tsx";
import type { Item } from "./run-view.ts";

/** A run's log entries, in order. */
export function LogItems(props: { items: Item[]; now: number; diffs: Folds }): ReactElement {
  return (
    <ol>
      {props.items.map((item) => (
        <li key={item.key}>
          <LogItem item={item} now={props.now} diffs={props.diffs} />
        </li>
      ))}
    </ol>
  );
}
