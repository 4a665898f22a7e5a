import { useMemo, useState } from "react";

import type { QaFinding } from "../../api/types.ts";

/** Maximum selected findings, as on the server. */
const maxSelected = 100;

export interface Selection {
  /** The selected findings that are still shown. */
  findings: readonly QaFinding[];
  has(findings: readonly QaFinding[]): boolean;
  /** The maximum is reached. */
  full: boolean;
  set(findings: readonly QaFinding[], selected: boolean): void;
  clear(): void;
}

/** Whether a finding can be selected. */
const isSelectable = ({ status }: QaFinding): boolean => status === "open";

/** The selected findings, for common actions. */
export function useSelection(shown: readonly QaFinding[]): Selection {
  const [ids, setIds] = useState<ReadonlySet<number>>(new Set());
  const findings = useMemo(
    () => shown.filter((finding) => ids.has(finding.id) && isSelectable(finding)),
    [shown, ids],
  );
  return {
    findings,
    has: (some) => some.every(({ id }) => ids.has(id)),
    full: findings.length >= maxSelected,
    set(some, selected) {
      const next = new Set(findings.map(({ id }) => id));
      for (const { id } of some) {
        if (!selected) next.delete(id);
        else if (next.size < maxSelected) next.add(id);
      }
      setIds(next);
    },
    clear: () => setIds(new Set()),
  };
}
