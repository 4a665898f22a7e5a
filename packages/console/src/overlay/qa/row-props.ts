import type { FindingRow } from "../../features/qa/group-findings.ts";

/** What a row of the console's list is given. */
export interface QaRowProps {
  row: FindingRow;
  /** Whether it is told as one of this page. */
  here: boolean;
  onAside(): void;
  onAnnounce(words: string): void;
  onChange(): void;
}
