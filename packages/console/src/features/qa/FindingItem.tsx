import { type ReactElement, type ReactNode, useEffect, useId, useRef, useState } from "react";

import type { QaFinding } from "../../api/types.ts";
import { Icon } from "../../ui/Icon.tsx";
import { plainText } from "../../ui/plain-text.ts";
import { FindingActions } from "./FindingActions.tsx";
import { FindingDetails } from "./FindingDetails.tsx";
import { FindingState } from "./FindingState.tsx";
import type { FindingRow } from "./group-findings.ts";
import { confidenceLabel, linkTo, pagesLabel } from "./labels.ts";
import { Severity } from "./Severity.tsx";
import { editorAddressOf, sourceLabel } from "./source-labels.ts";
import { isAwaitingAssessment } from "./useFindings.ts";
import type { Selection } from "./useSelection.ts";

/** How findings are shown in little space: only their messages until they are opened. */
export interface FoldedFindings {
  /** Shown first in an opened one. */
  lead(finding: QaFinding): ReactNode;
  /** Called with the opened finding and its button; null when it was closed. */
  onToggle(finding: QaFinding, button: HTMLElement | null): void;
}

export interface FindingProps {
  /** The selection, if several can be selected. */
  selection?: Selection;
  /** Whether evidence and occurrences are shown immediately. */
  opened: boolean;
  folded?: FoldedFindings;
  /** Starts a QA run, so that fixes are checked. */
  onRerun(): void;
  /** Shows the task for a finding; otherwise it is a link. */
  onTask?(id: number): void;
}

interface ItemProps extends FindingProps {
  row: FindingRow;
  heading: "h3" | "h5";
}

/** The last two elements of a selector. */
function shortSelector(selector: string): string {
  return selector
    .split(/[\s>+~]+/)
    .slice(-2)
    .join(" ")
    .trim();
}

/** Where it is edited: the line of a file, or a project's field as a link. */
function Source(props: {
  source: NonNullable<QaFinding["source"]>;
  leaves: boolean;
}): ReactElement {
  const { source, leaves } = props;
  const label = sourceLabel(source);
  if (source.kind === "file") return <code className="qa-address">{label}</code>;
  const tab = leaves ? {} : { target: "_blank", rel: "noopener" };
  return (
    <a href={editorAddressOf(source)} dir="auto" {...tab}>
      {label}
    </a>
  );
}

/** The page as a link, and the element. */
function Where(props: {
  row: FindingRow;
  finding: QaFinding;
  /** Whether its page replaces this one, as on the site itself. */
  leaves: boolean;
}): ReactElement {
  const { row, finding } = props;
  const tab = props.leaves ? {} : { target: "_blank", rel: "noopener" };
  const href = linkTo(finding.pageUrl);
  const page = plainText(finding.pageUrl);
  const place = finding.occurrences[0];
  const text = plainText(place?.text ?? "").trim();
  const selector = place?.selector === finding.pageUrl ? "" : (place?.selector ?? "");
  const element = shortSelector(plainText(selector));
  return (
    <p className="qa-where">
      {row.pageCount > 1 || href === null ? (
        <span className="qa-address">{plainText(pagesLabel(row.pages, row.pageCount))}</span>
      ) : (
        <a className="qa-address" href={href} {...tab}>
          {page}
        </a>
      )}
      {finding.target !== null && finding.target !== finding.pageUrl && (
        <code className="qa-address">{plainText(finding.target)}</code>
      )}
      {row.pageCount <= 1 && element !== "" && <code className="qa-address">{element}</code>}
      {row.pageCount <= 1 && text !== "" && <span>“{text}”</span>}
      {row.findings.length === 1 && finding.source !== null && (
        <Source source={finding.source} leaves={props.leaves} />
      )}
      {row.findings.length === 1 && isAwaitingAssessment(finding) && (
        <span>Its source hasn’t been looked up yet.</span>
      )}
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
      {finding.isAutoFixable && <span className="badge">Auto-fixable</span>}
    </p>
  );
}

/** A line that expands what is below it. */
function Toggle(props: {
  id: string;
  open: boolean;
  className: "small" | "line";
  children: ReactNode;
  onToggle(button: HTMLElement): void;
}): ReactElement {
  return (
    <button
      type="button"
      className={`qa-toggle ${props.className}`}
      {...(props.className === "line" && { "data-focus": true })}
      aria-expanded={props.open}
      aria-controls={props.id}
      onClick={(event) => props.onToggle(event.currentTarget)}
    >
      <Icon name="chevron" />
      {props.children}
    </button>
  );
}

function SelectBox(props: { id: string; row: FindingRow; selection: Selection }): ReactElement {
  const { id, row, selection } = props;
  const selected = selection.has(row.findings);
  return (
    <div className="qa-check">
      {row.findings[0]?.status === "open" && (
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
  );
}

/** A finding's state and actions. */
function Doing(props: ItemProps & { finding: QaFinding; describedBy: string }): ReactElement {
  const { row, finding } = props;
  return (
    <div className="qa-doing">
      <FindingState finding={finding} onRerun={props.onRerun} onTask={props.onTask} />
      {finding.status === "open" && (
        <FindingActions key={finding.id} row={row} describedBy={props.describedBy} />
      )}
    </div>
  );
}

/** A finding, or several equal ones on several pages. */
export function FindingItem(props: ItemProps): ReactElement | null {
  const { row, selection, opened, folded, heading: Heading } = props;
  const [finding] = row.findings;
  const id = useId();
  const [open, setOpen] = useState(opened);
  const message = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // If only this finding is shown, screen readers continue there.
    if (opened) message.current?.focus();
  }, [opened]);
  if (!finding) return null;
  const words = <span dir="auto">{plainText(finding.message)}</span>;
  const details = open && <FindingDetails row={row} finding={finding} />;
  const toggle = (): void => setOpen(!open);
  return (
    <li
      className="qa-finding"
      data-row={row.key}
      data-folded={folded}
      data-severity={finding.severity}
    >
      {selection && <SelectBox id={id} row={row} selection={selection} />}
      <div className="qa-words">
        <Marks finding={finding} />
        {folded ? (
          <Heading id={id} className="qa-message">
            <Toggle
              id={`${id}-details`}
              open={open}
              className="line"
              onToggle={(button) => {
                toggle();
                folded.onToggle(finding, open ? null : button);
              }}
            >
              {words}
            </Toggle>
          </Heading>
        ) : (
          <Heading ref={message} id={id} className="qa-message" tabIndex={-1} data-focus>
            {words}
          </Heading>
        )}
        <Where row={row} finding={finding} leaves={folded !== undefined} />
        {folded ? (
          open && folded.lead(finding)
        ) : (
          <Toggle id={`${id}-details`} open={open} className="small" onToggle={toggle}>
            Evidence and places
          </Toggle>
        )}
        <div id={`${id}-details`} hidden={!open}>
          {folded && open && <Doing {...props} finding={finding} describedBy={id} />}
          <div className="qa-details">{details}</div>
        </div>
      </div>
      {!folded && <Doing {...props} finding={finding} describedBy={id} />}
    </li>
  );
}
