import type { ReactElement } from "react";

import type { QaFinding } from "../../api/types.ts";
import { formatCount } from "../../ui/format.ts";
import { plainText } from "../../ui/plain-text.ts";
import { Time } from "../time/Time.tsx";
import { Evidence } from "./Evidence.tsx";
import type { FindingRow } from "./group-findings.ts";
import { Occurrences } from "./Occurrences.tsx";

/** When it was seen, by which engine, and how often: what stands beside the evidence. */
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

/** What proves a finding, and everywhere it is. */
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
