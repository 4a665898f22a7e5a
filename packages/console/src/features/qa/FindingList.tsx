import { type ReactElement, useId, useMemo, useRef, useState } from "react";

import type { QaFinding } from "../../api/types.ts";
import { Button } from "../../ui/Button.tsx";
import { formatCount } from "../../ui/format.ts";
import { Icon } from "../../ui/Icon.tsx";
import { plainText } from "../../ui/plain-text.ts";
import { FindingItem, type FindingProps } from "./FindingItem.tsx";
import { type CheckGroup, groupFindings } from "./group-findings.ts";
import { categoryName } from "./labels.ts";
import { Severity } from "./Severity.tsx";
import { useRowFocus } from "./useRowFocus.ts";
import type { Selection } from "./useSelection.ts";

/** Rows of a check shown before asking for more. */
const first = 5;
/** Up to this many folded checks are open initially. */
const fewChecks = 3;

/** "3 findings on 2 pages". */
function extent({ total, pageCount }: CheckGroup): string {
  return `${formatCount(total, "finding")} on ${formatCount(pageCount, "page")}`;
}

function SelectAll(props: { group: CheckGroup; selection: Selection }): ReactElement | null {
  const { group, selection } = props;
  const open = group.rows
    .flatMap(({ findings }) => findings)
    .filter((one) => one.status === "open");
  if (open.length <= 1) return null;
  const selected = selection.has(open);
  return (
    <label className="qa-all">
      <input
        type="checkbox"
        checked={selected}
        disabled={selection.full && !selected}
        onChange={(event) => selection.set(open, event.target.checked)}
      />
      Select all <span className="unseen">of {plainText(group.title)}</span>
    </label>
  );
}

type GroupProps = FindingProps & { group: CheckGroup; spread: boolean };

/** A check's name and number of findings; a folded group expands. */
function GroupHead(props: GroupProps & { id: string; onSpread(): void }): ReactElement {
  const { group, selection, folded, spread, id } = props;
  const title = plainText(group.title);
  return (
    <header>
      <Severity severity={group.severity} critical={group.critical} />
      {folded ? (
        <h4 id={id}>
          <button
            type="button"
            className="qa-toggle line"
            aria-expanded={spread}
            onClick={props.onSpread}
          >
            <Icon name="chevron" />
            {title}
          </button>
        </h4>
      ) : (
        <h2 id={id}>{title}</h2>
      )}
      <p className="muted">
        {categoryName(group.category)} · {extent(group)}
      </p>
      {selection && <SelectAll group={group} selection={selection} />}
    </header>
  );
}

function Group(props: GroupProps): ReactElement {
  const { group, folded } = props;
  const [spread, setSpread] = useState(props.spread);
  const [all, setAll] = useState(false);
  const list = useRef<HTMLUListElement>(null);
  const id = useId();
  const rows = all ? group.rows : group.rows.slice(0, first);
  function showAll(): void {
    setAll(true);
    // The button is gone, so the focus moves to the first new row.
    requestAnimationFrame(() =>
      list.current?.children[first]?.querySelector<HTMLElement>("[data-focus]")?.focus(),
    );
  }
  return (
    <section className="qa-group" aria-labelledby={id} data-severity={group.severity}>
      <GroupHead {...props} id={id} spread={spread} onSpread={() => setSpread(!spread)} />
      {spread && (
        <ul ref={list}>
          {rows.map((row) => (
            <FindingItem key={row.key} {...props} row={row} heading={folded ? "h5" : "h3"} />
          ))}
        </ul>
      )}
      {spread && rows.length < group.rows.length && (
        <Button
          label={`Show all ${group.rows.length} of ${plainText(group.title)}`}
          onClick={showAll}
        >
          Show all {group.rows.length}
        </Button>
      )}
    </section>
  );
}

/** The findings by check, most severe first. */
export function FindingList(
  props: FindingProps & { findings: readonly QaFinding[] },
): ReactElement {
  const { findings, ...rest } = props;
  const groups = useMemo(() => groupFindings(findings), [findings]);
  const { list, onFocus } = useRowFocus<HTMLDivElement>();
  return (
    <div ref={list} onFocus={(event) => onFocus(event.target)}>
      {groups.map((group) => (
        <Group
          key={group.check}
          group={group}
          spread={!rest.folded || groups.length <= fewChecks}
          {...rest}
        />
      ))}
    </div>
  );
}
