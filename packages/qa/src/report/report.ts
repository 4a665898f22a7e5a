import type { Crop } from "../browser/visit.ts";
import type { Occurrence } from "../engine/job.ts";
import type { Confidence, Scope, Severity } from "../finding.ts";
import { cleanLine } from "../kit/text.ts";

/** One defect with all of its places. */
export interface ReportFinding {
  /** The same for the same defect in every report. */
  fingerprint: string;
  /** What earlier versions called it, or parts of it, for comparing baselines; in no format. */
  formerly?: readonly string[];
  /** The check's id in the catalog, such as `link.internal-broken`. */
  check: string;
  /** The check's title. */
  title: string;
  category: string;
  /**
   * What the check examined: a page's markup, the whole site, other sites, private addresses, a
   * browser.
   */
  scope: Scope;
  severity: Severity;
  /** Something is open that must not be. */
  critical: boolean;
  confidence: Confidence;
  /** The program that found it, with its version. */
  engine: string;
  /** The page, root-relative. */
  pageUrl: string;
  /** What it is about, such as an address or a file; null if it is the page itself. */
  target: string | null;
  /** One plain sentence. */
  message: string;
  /** Proof, under names that the check chooses. */
  evidence: Record<string, unknown>;
  /** The first 50 places. */
  occurrences: Occurrence[];
  occurrenceCount: number;
  pageCount: number;
  /** Where it is edited, such as `app/src/pages/about.astro:12`, if that is known. */
  source?: string;
  /** Whether it may be fixed without a person's review. */
  isSafe: boolean;
  /** What its first place looks like, for an HTML report. */
  screenshot?: Crop;
  /** For a finding that an instance stores. */
  id?: number;
  status?: "open" | "queued" | "fixed" | "ignored";
  firstSeenAt?: string;
  lastSeenAt?: string;
}

/** The findings of one site, for other programs and people. */
export interface QaReport {
  /** The start address of the site, absolute. */
  site: string;
  /** The time of the check, ISO 8601 UTC. */
  at: string;
  tool: { name: string; version: string };
  /** Null if the report isn't of a single run. */
  stats: { pages: number; links: number; browserPages: number; ms: number } | null;
  /** False if limits ended the run early: defects that aren't reported may still be there. */
  isComplete: boolean;
  /** What could not be checked, and why. */
  skippedChecks: readonly { what: string; why: string }[];
  /** The number of findings left out because a baseline contains them. */
  baselineCount: number;
  findings: readonly ReportFinding[];
}

/** The absolute address of a page or target; the site's own if it can't be parsed. */
export function absolute(site: string, address: string): string {
  return URL.canParse(address, site) ? new URL(address, site).href : site;
}

/** Text of a page on one line, without control characters. */
export function oneLine(text: string, max = 2000): string {
  // Line breaks first: they separate words, and are control characters.
  const line = cleanLine(text.replace(/\s+/g, " "));
  return line.length > max ? `${line.slice(0, max - 1).toWellFormed()}…` : line;
}

const weights = { error: 0, warning: 1, notice: 2 } as const;

/** The findings, most severe first; then by check and place. */
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

/** The number of findings of each severity. */
export function countFindings(findings: readonly Pick<ReportFinding, "severity">[]) {
  const counts = { error: 0, warning: 0, notice: 0 };
  for (const { severity } of findings) counts[severity] += 1;
  return counts;
}
