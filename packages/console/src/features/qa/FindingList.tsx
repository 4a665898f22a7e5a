import { type ReactElement, useMemo, useRef, useState } from "react";

import type { QaFinding } from "../../api/types.ts";
import { Button } from "../../ui/Button.tsx";
import { formatCount } from "../../ui/format.ts";
import { plainText } from "../../ui/plain-text.ts";
import { FindingItem } from "./FindingItem.tsx";
import { type CheckGroup, groupFindings } from "./group-findings.ts";
import { categoryName } from "./labels.ts";
import { Severity } from "./Severity.tsx";
import { useRowFocus } from "./useRowFocus.ts";
import type { Selection } from "./useSelection.ts";

/** So many rows of a check are shown before more are asked for. */
const first = 5;

interface ListProps {
  findings: readonly QaFinding[];
  selection: Selection;
  /** Evidence and places are shown at once. */
  opened: boolean;
  onRerun(): void;
}

/** "3 findings on 2 pages". */
function extent({ total, pageCount }: CheckGroup): string {
  return `${formatCount(total, "finding")} on ${formatCount(pageCount, "page")}`;
}

function Group(props: Omit<ListProps, "findings"> & { group: CheckGroup }): ReactElement {
  const { group, selection } = props;
  const [all, setAll] = useState(false);
  const list = useRef<HTMLUListElement>(null);
  const id = `qa-check-${group.check}`;
  const rows = all ? group.rows : group.rows.slice(0, first);
  const open = group.rows
    .flatMap(({ findings }) => findings)
    .filter((one) => one.status === "open");
  const selected = open.length > 0 && selection.has(open);
  return (
    <section className="qa-group" aria-labelledby={id} data-severity={group.severity}>
      <header>
        <Severity severity={group.severity} critical={group.critical} />
        <h2 id={id}>{plainText(group.title)}</h2>
        <p className="muted">
          {categoryName(group.category)} · {extent(group)}
        </p>
        {open.length > 1 && (
          <label className="qa-all">
            <input
              type="checkbox"
              checked={selected}
              disabled={selection.full && !selected}
              onChange={(event) => selection.set(open, event.target.checked)}
            />
            Select all <span className="unseen">of {plainText(group.title)}</span>
          </label>
        )}
      </header>
      <ul ref={list}>
        {rows.map((row) => (
          <FindingItem
            key={row.key}
            row={row}
            selection={selection}
            opened={props.opened}
            onRerun={props.onRerun}
          />
        ))}
      </ul>
      {rows.length < group.rows.length && (
        <Button
          label={`Show all ${group.rows.length} of ${plainText(group.title)}`}
          onClick={() => {
            setAll(true);
            // The button is gone: one reads on at the first that it brought.
            requestAnimationFrame(() =>
              list.current?.children[first]?.querySelector<HTMLElement>("h3")?.focus(),
            );
          }}
        >
          Show all {group.rows.length}
        </Button>
      )}
    </section>
  );
}

/** The findings by check, the weightiest first. */
export function FindingList({ findings, ...rest }: ListProps): ReactElement {
  const groups = useMemo(() => groupFindings(findings), [findings]);
  const { list, onFocus } = useRowFocus<HTMLDivElement>();
  return (
    <div ref={list} onFocus={(event) => onFocus(event.target)}>
      {groups.map((group) => (
        <Group key={group.check} group={group} {...rest} />
      ))}
    </div>
  );
}
