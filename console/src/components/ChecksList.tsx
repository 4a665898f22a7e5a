import { type ReactElement, useContext, useState } from "react";

import { DeskContext } from "../hooks/useDesk.ts";
import type { BuildReport } from "../types.ts";
import { count } from "../words.ts";
import { Button } from "./Button.tsx";
import { type Finding, fixInstruction, mergeFindings, severityWords } from "./checks-words.ts";
import { Icon } from "./Icon.tsx";

const firstShown = 8;

/**
 * What a build would make worse, the weightiest first; on a desk each can be handed back to be
 * mended.
 */
export function ChecksList({ report }: { report: BuildReport }): ReactElement {
  const [all, setAll] = useState(false);
  const findings = mergeFindings(report.findings);
  const shown = all ? findings : findings.slice(0, firstShown);
  const total = report.added.error + report.added.warning + report.added.notice;
  return (
    <div className="checks" role="region" aria-label="Findings" tabIndex={0}>
      {findings.length === 0 && <p className="quiet">Nothing that the live site does not have.</p>}
      <ul>
        {shown.map((finding) => (
          <FindingRow
            key={`${finding.check} ${finding.message} ${finding.target}`}
            finding={finding}
          />
        ))}
      </ul>
      {shown.length < findings.length && (
        <Button look="small" onClick={() => setAll(true)}>
          Show all {findings.length}
        </Button>
      )}
      <p className="quiet">
        {[
          count(report.pages, "page") + " looked at",
          ...(report.fixed > 0 ? [`${count(report.fixed, "old finding")} gone`] : []),
          ...(total > report.findings.length ? [`${total} findings in all`] : []),
        ].join(" · ")}
      </p>
    </div>
  );
}

function FindingRow({ finding }: { finding: Finding }): ReactElement {
  const desk = useContext(DeskContext);
  const { severity, pages, target } = finding;
  return (
    <li className="finding">
      <span className={`severity ${severity}`}>
        <Icon name={severity} /> {severityWords[severity]}
      </span>
      <span className="quiet where">
        {pages.length === 1 ? pages[0] : count(pages.length, "page")}
      </span>
      <p>{finding.message}</p>
      {target !== null && <code>{target}</code>}
      {pages.length > 1 && <p className="quiet">{pages.join(", ")}</p>}
      {desk !== null && (
        <Button look="small" onClick={() => desk.append(fixInstruction(finding))}>
          Fix this
        </Button>
      )}
    </li>
  );
}
