import type { ReactElement } from "react";

import { severityWords } from "../components/checks-words.ts";
import { Icon } from "../components/Icon.tsx";
import type { QaFinding } from "../types.ts";

/** How much a finding weighs, as a sign and in a word. */
export function Severity(props: Pick<QaFinding, "severity" | "critical">): ReactElement {
  const { severity, critical } = props;
  return (
    <span className={`severity ${severity}`} data-critical={critical || undefined}>
      <Icon name={severity} /> {critical ? "Critical error" : severityWords[severity]}
    </span>
  );
}
