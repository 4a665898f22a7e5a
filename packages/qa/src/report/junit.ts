import { absolute, byWeight, type QaReport, type ReportFinding } from "./report.ts";

// What XML 1.0 can't represent, not even as a reference (section 2.2).
// eslint-disable-next-line no-control-regex
const unwritable = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g;

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\t": "&#9;",
  "\n": "&#10;",
  "\r": "&#13;",
};

const visible = (text: string) =>
  text
    .toWellFormed()
    .replace(
      unwritable,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );

/** Writes control and bidirectional characters, which a terminal would obey, as references. */
const tame = (markup: string) =>
  markup.replace(
    /[\u007F-\u009F\u202A-\u202E\u2066-\u2069]/g,
    (character) => `&#${character.charCodeAt(0)};`,
  );

/**
 * An attribute's value: line breaks become references, too, otherwise they would be read as spaces.
 */
const quoted = (text: string) =>
  tame(visible(text).replace(/[&<>"\t\n\r]/g, (c) => entities[c] ?? c));
const content = (text: string) => tame(visible(text).replace(/[&<>\r]/g, (c) => entities[c] ?? c));

const seconds = (ms: number) => (ms / 1000).toFixed(3);

function locationsOf({ occurrences, occurrenceCount }: ReportFinding, { site }: QaReport): string {
  const lines = occurrences.map(({ page, selector, line, text }) => {
    const at = line === null ? "" : `:${line}`;
    return [`${absolute(site, page)}${at}`, selector, text].filter(Boolean).join("  ");
  });
  const more = occurrenceCount - occurrences.length;
  return [...lines, ...(more > 0 ? [`and ${more} more`] : [])].join("\n");
}

function testCase(finding: ReportFinding, report: QaReport): string {
  const { check, severity, critical, confidence, message, target, pageUrl } = finding;
  const name = [check, target ?? pageUrl].join(" ");
  const reported = [
    message,
    `${finding.title} (${critical ? "critical" : severity}, ${confidence})`,
    locationsOf(finding, report),
    `fingerprint ${finding.fingerprint}`,
  ];
  return [
    `    <testcase name="${quoted(name)}" classname="${quoted(check)}" time="0">`,
    `      <failure type="${quoted(severity)}" message="${quoted(message)}">${content(reported.join("\n"))}</failure>`,
    `    </testcase>`,
  ].join("\n");
}

function suite(
  name: string,
  at: string,
  cases: string[],
  kinds: { failed: number; skipped: number },
) {
  const counts = `tests="${cases.length}" failures="${kinds.failed}" errors="0" skipped="${kinds.skipped}"`;
  // JUnit's times have no time zone and no fractions.
  const time = at.replace(/(?:\.\d+)?Z$/, "");
  return [
    `  <testsuite name="${quoted(name)}" ${counts} time="0" timestamp="${quoted(time)}">`,
    ...cases,
    `  </testsuite>`,
  ].join("\n");
}

/**
 * JUnit XML: a suite for each category with a failed case for each finding; what wasn't checked is
 * skipped.
 */
export function toJunit(report: QaReport): string {
  const { findings, skippedChecks, at, stats } = report;
  const groups = Map.groupBy(byWeight(findings), ({ category }) => category);
  const suites = [...groups].map(([category, found]) =>
    suite(
      category,
      at,
      found.map((finding) => testCase(finding, report)),
      { failed: found.length, skipped: 0 },
    ),
  );
  const skipped = skippedChecks.map(
    ({ what, why }) =>
      `    <testcase name="${quoted(what)}" classname="not checked" time="0"><skipped message="${quoted(why)}"/></testcase>`,
  );
  if (skipped.length > 0) {
    suites.push(suite("not checked", at, skipped, { failed: 0, skipped: skipped.length }));
  }
  const tests = findings.length + skippedChecks.length;
  const totals = `tests="${tests}" failures="${findings.length}" errors="0" skipped="${skippedChecks.length}"`;
  return [
    `<?xml version="1.0" encoding="UTF-8"?>`,
    `<testsuites name="${quoted(report.site)}" ${totals} time="${seconds(stats?.ms ?? 0)}">`,
    ...suites,
    `</testsuites>`,
    "",
  ].join("\n");
}
