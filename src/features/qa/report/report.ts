import { cleanText } from "../../../kit/text.ts";
import type { FindingRecord } from "../schema.ts";

/** What a report tells of a finding: all that does not depend on whoever keeps it. */
export type ReportFinding = Omit<
  FindingRecord,
  | "id"
  | "status"
  | "instruction"
  | "task"
  | "ignored"
  | "note"
  | "firstSeenAt"
  | "lastSeenAt"
  | "fixedAt"
  | "seenCount"
  | "firstRunId"
  | "lastRunId"
> &
  Partial<Pick<FindingRecord, "id" | "status" | "firstSeenAt" | "lastSeenAt">>;

/** Findings of one site, for programs and people outside. */
export interface Report {
  /** Where the site begins: absolute. */
  site: string;
  /** When it was looked at, ISO 8601 UTC. */
  at: string;
  tool: { name: string; version: string };
  /** Null where it is not of one pass. */
  stats: { pages: number; links: number; browserPages: number; ms: number } | null;
  /** Whether limits cut the look: then what isn't told may still be there. */
  complete: boolean;
  /** What could not be checked, and why. */
  notRun: readonly { what: string; why: string }[];
  /** How many are left out because a baseline has them. */
  known: number;
  findings: readonly ReportFinding[];
}

/** The absolute address of a page or target; the site's own where it can't be read as one. */
export function absolute(site: string, address: string): string {
  return URL.canParse(address, site) ? new URL(address, site).href : site;
}

/** Words of a page on one line, without what a terminal or a file would obey. */
export function oneLine(text: string, most = 2000): string {
  // Line breaks first: they part words, and are control characters.
  const line = cleanText(text.replace(/\s+/g, " "));
  return line.length > most ? `${line.slice(0, most - 1).toWellFormed()}…` : line;
}

const weights = { error: 0, warning: 1, notice: 2 } as const;

/** Findings, the gravest first; those that weigh the same by check and place. */
export function byWeight(findings: readonly ReportFinding[]): ReportFinding[] {
  const key = ({ critical, severity }: ReportFinding) => (critical ? -1 : weights[severity]);
  const order = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
  return findings.toSorted(
    (a, b) =>
      key(a) - key(b) ||
      order(a.check, b.check) ||
      order(a.pageUrl, b.pageUrl) ||
      order(a.fingerprint, b.fingerprint),
  );
}

/** How many there are of each severity. */
export function countFindings(findings: readonly Pick<ReportFinding, "severity">[]) {
  const counts = { error: 0, warning: 0, notice: 0 };
  for (const { severity } of findings) counts[severity] += 1;
  return counts;
}
