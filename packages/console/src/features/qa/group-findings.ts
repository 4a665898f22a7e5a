import type { QaFinding } from "../../api/types.ts";

/** Findings that say the same of several pages. */
export interface FindingRow {
  key: string;
  /** At least one; all alike but for the page. */
  findings: readonly QaFinding[];
  /** The pages that it is on, as far as they are told, each once. */
  pages: readonly string[];
  /** How many pages in all. */
  pageCount: number;
}

/** All findings of one check. */
export interface CheckGroup {
  check: string;
  title: string;
  category: string;
  /** The weightiest of what it holds. */
  severity: QaFinding["severity"];
  critical: boolean;
  rows: readonly FindingRow[];
  /** Findings, each counted apart. */
  total: number;
  pageCount: number;
}

const ranks: Readonly<Record<QaFinding["severity"], number>> = { error: 0, warning: 1, notice: 2 };

const byText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** What weighs more comes first: critical, then errors; what only a person can tell last. */
function byWeight(
  one: Pick<QaFinding, "severity" | "critical">,
  other: Pick<QaFinding, "severity" | "critical">,
): number {
  return (
    Number(other.critical) - Number(one.critical) || ranks[one.severity] - ranks[other.severity]
  );
}

/** The pages where a finding is, as far as they are told. */
export function pagesOf(finding: Pick<QaFinding, "pageUrl" | "occurrences">): string[] {
  return [...new Set([finding.pageUrl, ...finding.occurrences.map(({ page }) => page)])];
}

/** What is alike in findings that are told as one. */
function alike(finding: QaFinding): string {
  const { severity, critical, confidence, status, message, target } = finding;
  // What a task works on has a state of its own.
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

/** Findings by their check, the weightiest check first; inside by severity, then page. */
export function groupFindings(findings: readonly QaFinding[]): CheckGroup[] {
  const groups = [...Map.groupBy(findings, ({ check }) => check).values()].flatMap(groupOf);
  return groups.toSorted(
    (one, other) =>
      byWeight(one, other) || other.total - one.total || byText(one.check, other.check),
  );
}

/** A path without what differs between ways to write it. */
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

/** Where on a page a finding is; null where that is not told. */
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
