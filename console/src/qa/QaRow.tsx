import { type ReactElement, useId, useRef, useState } from "react";

import { Button } from "../components/Button.tsx";
import { Icon } from "../components/Icon.tsx";
import { useConsole } from "../context.ts";
import { useDesk } from "../hooks/useDesk.ts";
import { useMedia } from "../hooks/useMedia.ts";
import { statusWords } from "../manage/tasks/words.ts";
import { plainText } from "../plain-text.ts";
import { taskName } from "../tasks/counts.ts";
import type { QaFinding } from "../types.ts";
import { Evidence } from "./Evidence.tsx";
import { placeOn } from "./group.ts";
import { QaActions } from "./QaActions.tsx";
import type { QaRowProps } from "./row-props.ts";
import { Severity } from "./Severity.tsx";
import { type Highlight, useHighlight } from "./useHighlight.ts";
import { confidenceWords, linkTo, placesWords } from "./words.ts";

function Meta({ row, here, finding }: QaRowProps & { finding: QaFinding }): ReactElement {
  const { showTask } = useDesk();
  const { task } = finding;
  const sure = confidenceWords(finding);
  const where = placesWords(row.pages, row.pageCount);
  return (
    <p className="meta">
      {here && <Severity severity={finding.severity} critical={finding.critical} />}
      {sure !== null && <span>{sure}</span>}
      {(!here || row.pageCount > 1) && <span className="page">{plainText(where)}</span>}
      {task !== null && (
        <span>
          <button type="button" className="to-task" onClick={() => showTask(task.id)}>
            {taskName(task.id)}
          </button>{" "}
          {statusWords[task.status]}
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
  const narrow = useMedia("(max-width: 767.98px)");
  const at = useRef<HTMLDivElement>(null);
  const { path } = useConsole();
  const href = linkTo(finding.pageUrl);
  if (!here) {
    if (href === null) return null;
    return (
      <p className="quiet">
        <a href={href}>{plainText(finding.pageUrl)}</a>
      </p>
    );
  }
  if (placeOn(finding, path) === null) return null;
  function show(): void {
    if (narrow) props.onAside();
    if (at.current) mark.show(at.current);
  }
  return (
    <div ref={at} className="row">
      {mark.found === false ? (
        <p className="quiet">Its element is not to be seen on this page now.</p>
      ) : (
        <Button look="small" onClick={show}>
          Show on the page
        </Button>
      )}
    </div>
  );
}

/** One finding, or several that say the same; opened, it shows where it is and what proves it. */
export function QaRow(props: QaRowProps): ReactElement | null {
  const { row, here } = props;
  const { path } = useConsole();
  const [open, setOpen] = useState(false);
  const id = useId();
  const [finding] = row.findings;
  const mark = useHighlight(finding && here ? placeOn(finding, path) : null);
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
            <Evidence evidence={finding.evidence} first={ownFacts(finding)} />
          </>
        )}
      </div>
    </li>
  );
}

/** What a finding is about and where, unless its evidence says the same. */
function ownFacts({ target, occurrences, evidence }: QaFinding) {
  const told = Object.values(evidence);
  const fact = (name: string, kind: "text" | "code", value: string | null | undefined) =>
    !value || told.includes(value) ? [] : [{ name, value: { kind, text: plainText(value) } }];
  return [...fact("About", "text", target), ...fact("Place", "code", occurrences[0]?.selector)];
}
