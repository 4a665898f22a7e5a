import { type ReactElement, useContext, useState } from "react";

import type { BuildReport } from "../../api/types.ts";
import { Button } from "../../ui/Button.tsx";
import { formatCount } from "../../ui/format.ts";
import { Icon } from "../../ui/Icon.tsx";
import { AppendInstruction } from "./append-instruction.ts";
import { type Finding, fixInstruction, mergeFindings, severityLabels } from "./check-labels.ts";

const initialCount = 8;

/**
 * What a build would make worse, most severe first; with a composer, each can be added to the
 * instruction.
 */
export function ChecksList({ report }: { report: BuildReport }): ReactElement {
  const [all, setAll] = useState(false);
  const findings = mergeFindings(report.findings);
  const shown = all ? findings : findings.slice(0, initialCount);
  const total = report.added.error + report.added.warning + report.added.notice;
  return (
    <div className="checks" role="region" aria-label="Findings" tabIndex={0}>
      {findings.length === 0 && <p className="quiet">No new issues.</p>}
      <ul>
        {shown.map((finding) => (
          <FindingRow
            key={`${finding.check} ${finding.message} ${finding.target}`}
            finding={finding}
          />
        ))}
      </ul>
      {shown.length < findings.length && (
        <Button variant="small" onClick={() => setAll(true)}>
          Show all {findings.length}
        </Button>
      )}
      <p className="quiet">
        {[
          formatCount(report.pages, "page") + " checked",
          ...(report.fixed > 0 ? [`${formatCount(report.fixed, "old finding")} fixed`] : []),
          ...(total > report.findings.length ? [`${total} findings in total`] : []),
        ].join(" · ")}
      </p>
    </div>
  );
}

function FindingRow({ finding }: { finding: Finding }): ReactElement {
  const append = useContext(AppendInstruction);
  const { severity, pages, target } = finding;
  return (
    <li className="finding">
      <span className={`severity ${severity}`}>
        <Icon name={severity} /> {severityLabels[severity]}
      </span>
      <span className="quiet where">
        {pages.length === 1 ? pages[0] : formatCount(pages.length, "page")}
      </span>
      <p>{finding.message}</p>
      {target !== null && <code>{target}</code>}
      {pages.length > 1 && <p className="quiet">{pages.join(", ")}</p>}
      {append !== null && (
        <Button variant="small" onClick={() => append(fixInstruction(finding))}>
          Fix this
        </Button>
      )}
    </li>
  );
}
