import { type ReactElement, useEffect, useId, useRef, useState } from "react";

import type { QaFinding } from "../../api/types.ts";
import { formatCount } from "../../ui/format.ts";
import { Icon } from "../../ui/Icon.tsx";
import { plainText } from "../../ui/plain-text.ts";
import { FindingActions } from "./FindingActions.tsx";
import { FindingDetails } from "./FindingDetails.tsx";
import { FindingState } from "./FindingState.tsx";
import type { FindingRow } from "./group-findings.ts";
import { confidenceLabel, linkTo } from "./labels.ts";
import { Severity } from "./Severity.tsx";
import type { Selection } from "./useSelection.ts";

interface ItemProps {
  row: FindingRow;
  selection: Selection;
  /** Evidence and places are shown at once. */
  opened: boolean;
  /** Begins a pass: what was mended is looked at anew. */
  onRerun(): void;
}

/** The last two elements that a selector names. */
function shortSelector(selector: string): string {
  return selector
    .split(/[\s>+~]+/)
    .slice(-2)
    .join(" ")
    .trim();
}

/** Where it is: the page, as a link that opens it, and the element. */
function Where({ row, finding }: { row: FindingRow; finding: QaFinding }): ReactElement {
  const href = linkTo(finding.pageUrl);
  const page = plainText(finding.pageUrl);
  const place = finding.occurrences[0];
  const text = plainText(place?.text ?? "").trim();
  const selector = place?.selector === finding.pageUrl ? "" : (place?.selector ?? "");
  const element = shortSelector(plainText(selector));
  return (
    <p className="qa-where">
      {row.pageCount > 1 ? (
        <span>{formatCount(row.pageCount, "page")}</span>
      ) : href === null ? (
        <span className="qa-address">{page}</span>
      ) : (
        <a className="qa-address" href={href} target="_blank" rel="noopener">
          {page}
        </a>
      )}
      {finding.target !== null && finding.target !== finding.pageUrl && (
        <code className="qa-address">{plainText(finding.target)}</code>
      )}
      {row.pageCount <= 1 && element !== "" && <code className="qa-address">{element}</code>}
      {row.pageCount <= 1 && text !== "" && <span>“{text}”</span>}
    </p>
  );
}

function Marks({ finding }: { finding: QaFinding }): ReactElement {
  const sure = confidenceLabel(finding);
  return (
    <p className="qa-marks">
      <Severity severity={finding.severity} critical={finding.critical} />
      {sure !== null && (
        <span className="badge" data-confidence={finding.confidence}>
          {sure}
        </span>
      )}
      {finding.isSafe && finding.status === "open" && (
        <span className="badge">Can be mended by itself</span>
      )}
    </p>
  );
}

/** What proves it, opened on demand. */
function Details(props: { row: FindingRow; finding: QaFinding; opened: boolean }): ReactElement {
  const { row, finding } = props;
  const [open, setOpen] = useState(props.opened);
  const id = useId();
  return (
    <>
      <button
        type="button"
        className="qa-toggle small"
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setOpen(!open)}
      >
        <Icon name="chevron" />
        Evidence and places
      </button>
      <div id={id} className="qa-details" hidden={!open}>
        {open && <FindingDetails row={row} finding={finding} />}
      </div>
    </>
  );
}

/** One finding, or several that say the same of several pages. */
export function FindingItem({ row, selection, opened, onRerun }: ItemProps): ReactElement | null {
  const [finding] = row.findings;
  const id = useId();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // Who was led to it alone reads on there.
    if (opened) heading.current?.focus();
  }, [opened]);
  if (!finding) return null;
  const open = finding.status === "open";
  const selected = selection.has(row.findings);
  return (
    <li className="qa-finding" data-row={row.key} data-severity={finding.severity}>
      <div className="qa-check">
        {open && (
          <input
            type="checkbox"
            aria-labelledby={`${id}-select ${id}`}
            checked={selected}
            disabled={selection.full && !selected}
            onChange={(event) => selection.set(row.findings, event.target.checked)}
          />
        )}
        <span id={`${id}-select`} className="unseen">
          Select:
        </span>
      </div>
      <div className="qa-words">
        <Marks finding={finding} />
        <h3 ref={heading} id={id} className="qa-message" tabIndex={-1} data-focus dir="auto">
          {plainText(finding.message)}
        </h3>
        <Where row={row} finding={finding} />
        <Details row={row} finding={finding} opened={opened} />
      </div>
      <div className="qa-doing">
        <FindingState finding={finding} onRerun={onRerun} />
        {open && <FindingActions key={finding.id} row={row} describedBy={id} />}
      </div>
    </li>
  );
}
