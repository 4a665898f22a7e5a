import { byWeight, countFindings, type QaReport, type ReportFinding } from "./report.ts";

/**
 * The report as one JSON document. Its version increases when a key is removed or changes its
 * meaning.
 */
export interface JsonReport extends Omit<QaReport, "skippedChecks" | "findings"> {
  version: 2;
  counts: { error: number; warning: number; notice: number };
  skippedChecks: { what: string; why: string }[];
  findings: ReportFinding[];
}

function findingOf(finding: ReportFinding): ReportFinding {
  const { source, id, status, firstSeenAt, lastSeenAt } = finding;
  return {
    fingerprint: finding.fingerprint,
    check: finding.check,
    title: finding.title,
    category: finding.category,
    scope: finding.scope,
    severity: finding.severity,
    critical: finding.critical,
    confidence: finding.confidence,
    engine: finding.engine,
    pageUrl: finding.pageUrl,
    target: finding.target,
    message: finding.message,
    evidence: finding.evidence,
    occurrences: finding.occurrences,
    occurrenceCount: finding.occurrenceCount,
    pageCount: finding.pageCount,
    isSafe: finding.isSafe,
    ...(source !== undefined && { source }),
    ...(id !== undefined && { id }),
    ...(status !== undefined && { status }),
    ...(firstSeenAt !== undefined && { firstSeenAt }),
    ...(lastSeenAt !== undefined && { lastSeenAt }),
  };
}

/** The report as an object for JSON; the same findings give the same object. */
export function toJson(report: QaReport): JsonReport {
  const { site, at, tool, stats, isComplete, skippedChecks, baselineCount, findings } = report;
  return {
    version: 2,
    site,
    at,
    tool,
    stats,
    isComplete,
    counts: countFindings(findings),
    skippedChecks: skippedChecks.map(({ what, why }) => ({ what, why })),
    baselineCount,
    findings: byWeight(findings).map(findingOf),
  };
}
