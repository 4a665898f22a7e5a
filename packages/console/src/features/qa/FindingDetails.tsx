import type { ReactElement } from "react";

import type { QaFinding } from "../../api/types.ts";
import { formatCount } from "../../ui/format.ts";
import { plainText } from "../../ui/plain-text.ts";
import { Time } from "../time/Time.tsx";
import { Evidence } from "./Evidence.tsx";
import type { FindingRow } from "./group-findings.ts";
import { Occurrences } from "./Occurrences.tsx";

/** When a finding was seen, by which engine, and how often. */
function SeenDates({ finding }: { finding: QaFinding }): ReactElement {
  return (
    <p className="muted quiet qa-facts">
      <span>
        first seen <Time iso={finding.firstSeenAt} />
      </span>
      <span>
        last seen <Time iso={finding.lastSeenAt} />
      </span>
      <span>in {formatCount(finding.seenCount, "QA run")}</span>
      {finding.engine !== "" && <span>{plainText(finding.engine)}</span>}
      <span>{finding.check}</span>
    </p>
  );
}

/** A finding's evidence and occurrences. */
export function FindingDetails(props: { row: FindingRow; finding: QaFinding }): ReactElement {
  const { row, finding } = props;
  return (
    <>
      <Evidence evidence={finding.evidence} />
      <Occurrences row={row} />
      <SeenDates finding={finding} />
    </>
  );
}
