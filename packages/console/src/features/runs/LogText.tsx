import type { ReactElement } from "react";

/** Output of a program, scrollable by keyboard. */
export function LogText({ label, lines }: { label: string; lines: string[] }): ReactElement {
  return (
    <pre className="log-text" role="region" aria-label={label} tabIndex={0}>
      {lines.join("\n")}
    </pre>
  );
}
