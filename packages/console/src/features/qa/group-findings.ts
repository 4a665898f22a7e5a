import type { QaFinding } from "../../api/types.ts";

/** Equal findings on several pages. */
export interface FindingRow {
  key: string;
  /** At least one; they differ only in the page. */
  findings: readonly QaFinding[];
  /** Known pages, each once. */
  pages: readonly string[];
  /** The total number of pages. */
  pageCount: number;
}

/** All findings of one check. */
export interface CheckGroup {
  check: string;
  title: string;
  category: string;
  /** The highest severity in it. */
  severity: QaFinding["severity"];
  critical: boolean;
  rows: readonly FindingRow[];
  /** The number of individual findings. */
  total: number;
  pageCount: number;
}

const ranks: Readonly<Record<QaFinding["severity"], number>> = { error: 0, warning: 1, notice: 2 };

const byText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** Critical first, then errors; uncertain ones last. */
function byWeight(
  one: Pick<QaFinding, "severity" | "critical">,
  other: Pick<QaFinding, "severity" | "critical">,
): number {
  return (
    Number(other.critical) - Number(one.critical) || ranks[one.severity] - ranks[other.severity]
  );
}

/** A finding's known pages. */
export function pagesOf(finding: Pick<QaFinding, "pageUrl" | "occurrences">): string[] {
  return [...new Set([finding.pageUrl, ...finding.occurrences.map(({ page }) => page)])];
}

/** A key for findings that are grouped. */
function alike(finding: QaFinding): string {
  const { severity, critical, confidence, status, message, target } = finding;
  // Findings with a task have their own state.
  const own = finding.task === null ? "" : finding.id;
  return JSON.stringify([severity, critical, confidence, status, message, target, own]);
}

function rowOf(findings: readonly QaFinding[]): FindingRow {
  const [first] = findings;
  const pages = [...new Set(findings.flatMap(pagesOf))].toSorted(byText);
  const reported = Math.max(...findings.map(({ pageCount }) => pageCount));
  return {
    key: String(first?.id),
    findings,
    pages,
    pageCount: Math.max(pages.length, reported),
  };
}

function groupOf(findings: readonly QaFinding[]): CheckGroup[] {
  const [first] = findings.toSorted(byWeight);
  if (!first) return [];
  const same = Map.groupBy(findings, alike);
  const rows = [...same.values()].map(rowOf).toSorted(byRow);
  const pages = new Set(rows.flatMap((row) => row.pages));
  const { check, title, category, severity, critical } = first;
  return [
    {
      check,
      title,
      category,
      severity,
      critical,
      rows,
      total: findings.length,
      pageCount: Math.max(pages.size, ...rows.map(({ pageCount }) => pageCount)),
    },
  ];
}

function byRow(one: FindingRow, other: FindingRow): number {
  const [a, b] = [one.findings[0], other.findings[0]];
  if (!a || !b) return 0;
  return byWeight(a, b) || byText(a.pageUrl, b.pageUrl) || a.id - b.id;
}

/** Findings by check, most severe check first; inside by severity, then page. */
export function groupFindings(findings: readonly QaFinding[]): CheckGroup[] {
  const groups = [...Map.groupBy(findings, ({ check }) => check).values()].flatMap(groupOf);
  return groups.toSorted(
    (one, other) =>
      byWeight(one, other) || other.total - one.total || byText(one.check, other.check),
  );
}

/** A path without insignificant differences in spelling. */
function plainPath(address: string): string {
  const [path = ""] = address.replace(/^https?:\/\/[^/]+/, "").split(/[?#]/);
  return path.replace(/index\.html$/, "").replace(/\/+$/, "") || "/";
}

/** Findings of a page, and the others. */
export function partitionByPage(
  findings: readonly QaFinding[],
  path: string,
): { here: QaFinding[]; others: QaFinding[] } {
  const at = plainPath(path);
  const { here = [], others = [] } = Object.groupBy(findings, (finding) =>
    pagesOf(finding).some((page) => plainPath(page) === at) ? "here" : "others",
  );
  return { here, others };
}

/** Where on a page a finding is; null if unknown. */
export function occurrenceOn(
  finding: QaFinding,
  path: string,
): { selector: string; text: string } | null {
  const at = plainPath(path);
  const found = finding.occurrences.find(
    ({ page, selector }) => plainPath(page) === at && selector !== "",
  );
  return found ?? null;
}
