import type { ReactElement } from "react";

import type { QaFinding } from "../../api/types.ts";
import { Icon } from "../../ui/Icon.tsx";
import { severityLabels } from "../runs/check-labels.ts";

/** A finding's severity as an icon and a word. */
export function Severity(props: Pick<QaFinding, "severity" | "critical">): ReactElement {
  const { severity, critical } = props;
  return (
    <span className={`severity ${severity}`} data-critical={critical || undefined}>
      <Icon name={severity} /> {critical ? "Critical error" : severityLabels[severity]}
    </span>
  );
}
