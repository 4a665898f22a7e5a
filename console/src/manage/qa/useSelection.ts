import { useMemo, useState } from "react";

import type { QaFinding } from "../../types.ts";

/** The most that can be chosen at once; the server's own bound. */
const most = 100;

export interface Selection {
  /** The chosen ones, as far as they are still shown. */
  findings: readonly QaFinding[];
  has(findings: readonly QaFinding[]): boolean;
  /** No more can be chosen. */
  full: boolean;
  set(findings: readonly QaFinding[], chosen: boolean): void;
  clear(): void;
}

/** Whether something can be done with a finding that is chosen. */
const canBeChosen = ({ status }: QaFinding): boolean => status === "open";

/** The findings that the owner has chosen, to do the same with all. */
export function useSelection(shown: readonly QaFinding[]): Selection {
  const [ids, setIds] = useState<ReadonlySet<number>>(new Set());
  const findings = useMemo(
    () => shown.filter((finding) => ids.has(finding.id) && canBeChosen(finding)),
    [shown, ids],
  );
  return {
    findings,
    has: (some) => some.every(({ id }) => ids.has(id)),
    full: findings.length >= most,
    set(some, chosen) {
      const next = new Set(findings.map(({ id }) => id));
      for (const { id } of some) {
        if (!chosen) next.delete(id);
        else if (next.size < most) next.add(id);
      }
      setIds(next);
    },
    clear: () => setIds(new Set()),
  };
}
