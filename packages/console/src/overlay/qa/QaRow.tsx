import { type ReactElement, useId, useRef, useState } from "react";

import { usePagePath } from "../../api/context.tsx";
import type { QaFinding } from "../../api/types.ts";
import { FindingDetails } from "../../features/qa/FindingDetails.tsx";
import { occurrenceOn } from "../../features/qa/group-findings.ts";
import { confidenceLabel, linkTo, pagesLabel } from "../../features/qa/labels.ts";
import { Severity } from "../../features/qa/Severity.tsx";
import { statusLabels } from "../../features/tasks/labels.ts";
import { Button } from "../../ui/Button.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { plainText } from "../../ui/plain-text.ts";
import { useMediaQuery } from "../../ui/useMediaQuery.ts";
import { taskLabel } from "../tasks/counts.ts";
import { useConsoleState } from "../useConsoleState.ts";
import { QaActions } from "./QaActions.tsx";
import type { QaRowProps } from "./row-props.ts";
import { type Highlight, useHighlight } from "./useHighlight.ts";

function Meta({ row, here, finding }: QaRowProps & { finding: QaFinding }): ReactElement {
  const { showTask } = useConsoleState();
  const { task } = finding;
  const sure = confidenceLabel(finding);
  const where = pagesLabel(row.pages, row.pageCount);
  return (
    <p className="meta">
      {here && <Severity severity={finding.severity} critical={finding.critical} />}
      {sure !== null && <span>{sure}</span>}
      {(!here || row.pageCount > 1) && <span className="page">{plainText(where)}</span>}
      {task !== null && (
        <span>
          <button type="button" className="to-task" onClick={() => showTask(task.id)}>
            {taskLabel(task.id)}
          </button>{" "}
          {statusLabels[task.status]}
        </span>
      )}
    </p>
  );
}

/** What leads to the place: on this page to the element, else to the page. */
function ToPlace(props: {
  finding: QaFinding;
  here: boolean;
  mark: Highlight;
  onAside(): void;
}): ReactElement | null {
  const { finding, here, mark } = props;
  const narrow = useMediaQuery("(max-width: 767.98px)");
  const at = useRef<HTMLDivElement>(null);
  const path = usePagePath();
  const href = linkTo(finding.pageUrl);
  if (!here) {
    if (href === null) return null;
    return (
      <p className="quiet">
        <a href={href}>{plainText(finding.pageUrl)}</a>
      </p>
    );
  }
  if (occurrenceOn(finding, path) === null) return null;
  function show(): void {
    if (narrow) props.onAside();
    if (at.current) mark.show(at.current);
  }
  return (
    <div ref={at} className="row">
      {mark.found === false ? (
        <p className="quiet">Its element is not to be seen on this page now.</p>
      ) : (
        <Button variant="small" onClick={show}>
          Show on the page
        </Button>
      )}
    </div>
  );
}

/** One finding, or several that say the same; opened, it shows where it is and what proves it. */
export function QaRow(props: QaRowProps): ReactElement | null {
  const { row, here } = props;
  const path = usePagePath();
  const [open, setOpen] = useState(false);
  const id = useId();
  const [finding] = row.findings;
  const mark = useHighlight(finding && here ? occurrenceOn(finding, path) : null);
  if (!finding) return null;
  return (
    <li className="entry" data-row={row.key}>
      <button
        type="button"
        className="open"
        data-focus
        aria-expanded={open}
        aria-controls={id}
        onClick={(event) => {
          setOpen(!open);
          if (open) mark.hide();
          else if (here) mark.show(event.currentTarget);
        }}
      >
        <span dir="auto">{plainText(finding.message)}</span>
        <Icon name="chevron" />
      </button>
      <Meta {...props} finding={finding} />
      <div id={id} className="qa-open" hidden={!open}>
        {open && (
          <>
            <ToPlace finding={finding} here={here} mark={mark} onAside={props.onAside} />
            {finding.note !== null && <p className="quiet">{plainText(finding.note)}</p>}
            {finding.status === "open" && <QaActions {...props} />}
            <Target finding={finding} />
            <div className="qa-details">
              <FindingDetails row={row} finding={finding} />
            </div>
          </>
        )}
      </div>
    </li>
  );
}

/** What a finding is about, unless its address or evidence says the same. */
function Target({ finding }: { finding: QaFinding }): ReactElement | null {
  const { target, pageUrl, evidence } = finding;
  if (target === null || target === pageUrl || Object.values(evidence).includes(target))
    return null;
  return <code className="quiet">{plainText(target)}</code>;
}
