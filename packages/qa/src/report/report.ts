import type { Occurrence } from "../engine/job.ts";
import type { Confidence, Scope, Severity } from "../finding.ts";
import { cleanLine } from "../kit/text.ts";

/** One defect, at however many places of the site. */
export interface ReportFinding {
  /** The same defect has the same in every report. */
  fingerprint: string;
  /** As the catalog of checks names it, such as `link.internal-broken`. */
  check: string;
  /** The check in a few plain words. */
  title: string;
  category: string;
  /** What the check looked at: a page's markup, the whole site, other sites, its doors, a browser. */
  scope: Scope;
  severity: Severity;
  /** Something is open that must not be. */
  critical: boolean;
  confidence: Confidence;
  /** What found it, with its version. */
  engine: string;
  /** The page, root-relative. */
  pageUrl: string;
  /** What it is about, such as an address or a file; null when it is the page itself. */
  target: string | null;
  /** One plain sentence. */
  message: string;
  /** What proves it, by names that the check chooses. */
  evidence: Record<string, unknown>;
  /** The first 50 places. */
  occurrences: Occurrence[];
  occurrenceCount: number;
  pageCount: number;
  /** May be fixed without a person's look. */
  isSafe: boolean;
  /** Of a finding that an instance keeps. */
  id?: number;
  status?: "open" | "queued" | "fixed" | "ignored";
  firstSeenAt?: string;
  lastSeenAt?: string;
}

/** Findings of one site, for programs and people outside. */
export interface QaReport {
  /** Where the site begins: absolute. */
  site: string;
  /** When it was looked at, ISO 8601 UTC. */
  at: string;
  tool: { name: string; version: string };
  /** Null where it is not of one run. */
  stats: { pages: number; links: number; browserPages: number; ms: number } | null;
  /** Whether limits cut the look: then what isn't told may still be there. */
  isComplete: boolean;
  /** What could not be checked, and why. */
  skippedChecks: readonly { what: string; why: string }[];
  /** How many are left out because a baseline has them. */
  baselineCount: number;
  findings: readonly ReportFinding[];
}

/** The absolute address of a page or target; the site's own where it can't be read as one. */
export function absolute(site: string, address: string): string {
  return URL.canParse(address, site) ? new URL(address, site).href : site;
}

/** Words of a page on one line, without what a terminal or a file would obey. */
export function oneLine(text: string, max = 2000): string {
  // Line breaks first: they part words, and are control characters.
  const line = cleanLine(text.replace(/\s+/g, " "));
  return line.length > max ? `${line.slice(0, max - 1).toWellFormed()}…` : line;
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
