import { byWeight, countFindings, oneLine, type QaReport, type ReportFinding } from "./report.ts";

const maxLocations = 5;
const maxTextLength = 200;

const plural = (count: number, word: string) => `${count} ${word}${count === 1 ? "" : "s"}`;
const short = (text: string) => oneLine(text, maxTextLength);

function headOf({ severity, critical, confidence }: ReportFinding): string {
  if (confidence === "review") return "REVIEW";
  return critical ? "CRITICAL" : severity.toUpperCase();
}

function locationsOf({ pageUrl, occurrences, occurrenceCount }: ReportFinding): string[] {
  const places =
    occurrences.length > 0 ? occurrences : [{ page: pageUrl, selector: "", line: null }];
  const shown = places.slice(0, maxLocations).map(({ page, selector, line }) => {
    const at = line === null ? "" : `:${line}`;
    return `    ${short(page)}${at}${selector === "" ? "" : `  ${short(selector)}`}`;
  });
  const more = Math.max(occurrenceCount, places.length) - shown.length;
  return more > 0 ? [...shown, `    and ${plural(more, "more place")}`] : shown;
}

/** The counts by severity, in words. */
export function formatCounts(findings: readonly Pick<ReportFinding, "severity">[]): string {
  const { error, warning, notice } = countFindings(findings);
  if (error + warning + notice === 0) return "Nothing found";
  return [plural(error, "error"), plural(warning, "warning"), plural(notice, "notice")].join(", ");
}

function linesOf(finding: ReportFinding): string[] {
  const head = `${headOf(finding)}  ${short(finding.message)}  [${short(finding.check)}]`;
  return [head, ...locationsOf(finding), ""];
}

/** The report as lines for a terminal, without control characters from pages. */
export function toPretty(report: QaReport): string {
  const { findings, skippedChecks, stats, site, isComplete, baselineCount } = report;
  const lines = byWeight(findings).flatMap(linesOf);
  for (const { what, why } of skippedChecks)
    lines.push(`Not checked: ${short(what)}: ${short(why)}`);
  if (!isComplete) lines.push("The limits ended the run before everything was checked.");
  if (baselineCount > 0)
    lines.push(`Left out because of the baseline: ${plural(baselineCount, "finding")}.`);
  const seen = stats
    ? `, ${plural(stats.pages, "page")} and ${plural(stats.links, "link")} in ${(stats.ms / 1000).toFixed(1)} s`
    : "";
  return [...lines, `${formatCounts(findings)} on ${short(site)}${seen}.`, ""].join("\n");
}
