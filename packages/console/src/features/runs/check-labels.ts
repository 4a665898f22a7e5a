import type { BuildReport, CheckFinding } from "../../api/types.ts";
import { formatCount } from "../../ui/format.ts";

export type Severity = CheckFinding["severity"];

/** The label of each severity. */
export const severityLabels: Readonly<Record<Severity, string>> = {
  error: "Error",
  warning: "Warning",
  notice: "Notice",
};

/** "+340 kB", "−12 kB": the change in a first visit's size; null below half a kilobyte. */
export function sizeDifference({ before, after }: BuildReport["bytes"]): string | null {
  const kilobytes = Math.round((after - before) / 1000);
  if (kilobytes === 0) return null;
  return `${kilobytes > 0 ? "+" : "−"}${Math.abs(kilobytes).toLocaleString("en")} kB`;
}

/** The subject of a finding as an adjective: "contrast", "link", "image". */
function subjectOf({ check, category }: CheckFinding): string {
  return check.includes("contrast") ? "contrast" : category.replace(/s$/, "");
}

/** "2 new contrast errors"; without a subject if there are several kinds. */
function newOnes(report: BuildReport, severity: "error" | "warning"): string[] {
  const amount = report.added[severity];
  if (amount === 0) return [];
  const kinds = new Set(
    report.findings.filter((finding) => finding.severity === severity).map(subjectOf),
  );
  const [kind] = kinds;
  return [formatCount(amount, kinds.size === 1 ? `new ${kind} ${severity}` : `new ${severity}`)];
}

/** The effect of a build in one line: "1 new contrast error, +340 kB, 0 broken links". */
export function differenceOf(report: BuildReport): string {
  const size = sizeDifference(report.bytes);
  const worse = [...newOnes(report, "error"), ...newOnes(report, "warning")];
  if (worse.length === 0 && report.brokenLinks === 0) {
    const fixed = report.fixed > 0 ? [`${report.fixed} fixed`] : [];
    return ["No new problems", ...fixed, ...(size === null ? [] : [size])].join(", ");
  }
  return [...worse, size ?? "same size", formatCount(report.brokenLinks, "broken link")].join(", ");
}

/** The effect as shown in the log's step. */
export function checkedTitle(report: BuildReport): string {
  if (report.blank.length > 0) {
    return `Checked ${formatCount(report.pages, "page")}: nothing visible on ${report.blank.join(", ")}`;
  }
  const worse = [...newOnes(report, "error"), ...newOnes(report, "warning")];
  if (report.pages === 0) return "Checked: no page changed";
  return `Checked ${formatCount(report.pages, "page")}: ${worse.join(", ") || "no new problems"}`;
}

/** Equal findings in several places, merged. */
export interface Finding extends CheckFinding {
  pages: string[];
}

/** Merges equal findings, keeping the order by severity. */
export function mergeFindings(findings: readonly CheckFinding[]): Finding[] {
  const merged = new Map<string, Finding>();
  for (const finding of findings) {
    const key = JSON.stringify([finding.check, finding.severity, finding.message, finding.target]);
    const known = merged.get(key);
    if (!known) merged.set(key, { ...finding, pages: [finding.page] });
    else if (!known.pages.includes(finding.page)) known.pages.push(finding.page);
  }
  return [...merged.values()];
}

/** The instruction for fixing a finding. */
export function fixInstruction(finding: Finding): string {
  const { pages, target, message } = finding;
  const where = pages.length > 3 ? `${pages.slice(0, 3).join(", ")} and more` : pages.join(", ");
  return `Fix this on ${where}: ${message}${target === null ? "" : ` (${target})`}`;
}
