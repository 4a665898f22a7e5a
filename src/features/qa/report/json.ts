import type { z } from "zod";
import type { jsonReport } from "./schema.ts";
import { byWeight, countFindings, type Report, type ReportFinding } from "./report.ts";

type JsonReport = z.infer<typeof jsonReport>;

function findingOf(finding: ReportFinding): JsonReport["findings"][number] {
  const { id, status, firstSeenAt, lastSeenAt } = finding;
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
    safe: finding.safe,
    ...(id !== undefined && { id }),
    ...(status !== undefined && { status }),
    ...(firstSeenAt !== undefined && { firstSeenAt }),
    ...(lastSeenAt !== undefined && { lastSeenAt }),
  };
}

/** The report as an object, as `jsonReport` in schema.ts describes it; the same findings give the same. */
export function toJson(report: Report): JsonReport {
  const { site, at, tool, stats, complete, notRun, known, findings } = report;
  return {
    version: 1,
    site,
    at,
    tool,
    stats,
    complete,
    counts: countFindings(findings),
    notRun: notRun.map(({ what, why }) => ({ what, why })),
    known,
    findings: byWeight(findings).map(findingOf),
  };
}
