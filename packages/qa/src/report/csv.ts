import { absolute, byWeight, oneLine, type QaReport, type ReportFinding } from "./report.ts";

const columns: Readonly<Record<string, (finding: ReportFinding, report: QaReport) => string>> = {
  severity: ({ severity, critical }) => (critical ? "critical" : severity),
  confidence: ({ confidence }) => confidence,
  status: ({ status }) => status ?? "open",
  check: ({ check }) => check,
  category: ({ category }) => category,
  title: ({ title }) => title,
  page: ({ pageUrl }, { site }) => absolute(site, pageUrl),
  target: ({ target }) => target ?? "",
  message: ({ message }) => message,
  places: ({ occurrenceCount }) => String(occurrenceCount),
  pages: ({ pageCount }) => String(pageCount),
  selector: ({ occurrences }) => occurrences[0]?.selector ?? "",
  line: ({ occurrences }) => String(occurrences[0]?.line ?? ""),
  safe: ({ isSafe: safe }) => (safe ? "yes" : "no"),
  firstSeen: ({ firstSeenAt }) => firstSeenAt ?? "",
  lastSeen: ({ lastSeenAt }) => lastSeenAt ?? "",
  fingerprint: ({ fingerprint }) => fingerprint,
};

/**
 * A spreadsheet treats a cell that begins with one of these as a formula, even in quotation marks;
 * an apostrophe before it makes it text (OWASP, CSV injection). Full-width forms count, too.
 */
const formula = /^[\s"']*[=+\-@＝＋－＠|%]/u;

function cell(text: string): string {
  const line = oneLine(text);
  const safe = formula.test(line) ? `'${line}` : line;
  return /[",]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** The findings as a table (RFC 4180, UTF-8) with a header line; one finding per line. */
export function toCsv(report: QaReport): string {
  const rows = byWeight(report.findings).map((finding) =>
    Object.values(columns).map((read) => cell(read(finding, report))),
  );
  return [Object.keys(columns), ...rows].map((row) => `${row.join(",")}\r\n`).join("");
}
