import { absolute, byWeight, type QaReport, type ReportFinding } from "./report.ts";

/*
 * SARIF 2.1.0 (OASIS standard). Sections in the comments are the standard's.
 */

type Location = ReportFinding["occurrences"][number];

const schema =
  "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

const levels = { error: "error", warning: "warning", notice: "note" } as const;

/** The description of a rule and its help address, from one of its findings. */
function ruleOf(finding: ReportFinding) {
  const { check, title, category, severity, critical, isSafe: safe, evidence } = finding;
  const help = evidence["help"];
  const text = typeof help === "string" && help !== "" ? help : title;
  const helpUrl = evidence["helpUrl"];
  const wcag = Array.isArray(evidence["wcag"]) ? evidence["wcag"] : [];
  return {
    id: check,
    shortDescription: { text: title },
    fullDescription: { text },
    help: { text: `${text}\nCheck ${check}, of the category ${category}.` },
    ...(typeof helpUrl === "string" && /^https?:/.test(helpUrl) && URL.canParse(helpUrl)
      ? { helpUri: new URL(helpUrl).href }
      : {}),
    defaultConfiguration: { level: levels[severity] },
    properties: {
      category,
      // A set of distinct strings (3.8.2).
      tags: [...new Set([category, ...wcag.filter((tag) => typeof tag === "string")])],
      critical,
      safe,
    },
  };
}

function locationOf(site: string, { page, selector, line, text }: Location) {
  return {
    physicalLocation: {
      artifactLocation: { uri: absolute(site, page) },
      ...(line === null ? {} : { region: { startLine: Math.max(1, line) } }),
    },
    ...(selector === ""
      ? {}
      : { logicalLocations: [{ fullyQualifiedName: selector, kind: "element" }] }),
    ...(text === "" ? {} : { message: { text } }),
  };
}

/** All places: each has to be fixed (3.27.12). */
function locationsOf({ occurrences, pageUrl }: ReportFinding, { site }: QaReport) {
  const page: Location = { page: pageUrl, selector: "", line: null, text: "" };
  const places = occurrences.length > 0 ? occurrences : [page];
  return places.map((place) => locationOf(site, place));
}

function resultOf(finding: ReportFinding, report: QaReport, ruleIndex: number) {
  const { check, severity, confidence, message, fingerprint, target, evidence } = finding;
  const review = confidence === "review";
  return {
    ruleId: check,
    ruleIndex,
    // What needs a person's judgment isn't a failure, and has no level (3.27.9, 3.27.10).
    kind: review ? "review" : "fail",
    level: review ? "none" : levels[severity],
    message: { text: message },
    locations: locationsOf(finding, report),
    partialFingerprints: { "vitrine/v1": fingerprint },
    // The total number if not all places are included (3.27.11).
    occurrenceCount: Math.max(1, finding.occurrenceCount),
    ...(finding.status === "ignored" && {
      suppressions: [{ kind: "external", status: "accepted" }],
    }),
    properties: {
      confidence,
      scope: finding.scope,
      engine: finding.engine,
      target,
      pages: finding.pageCount,
      evidence,
    },
  };
}

/** The report as SARIF 2.1.0, the static analysis format that code hosts and editors read. */
export function toSarif(report: QaReport) {
  const { tool, findings, skippedChecks, at, site, isComplete } = report;
  const ordered = byWeight(findings);
  const rules = [...new Map(ordered.map((finding) => [finding.check, finding])).values()];
  const indexOf = new Map(rules.map(({ check }, index) => [check, index]));
  return {
    $schema: schema,
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: { name: tool.name, version: tool.version, rules: rules.map(ruleOf) },
        },
        invocations: [
          {
            executionSuccessful: isComplete,
            endTimeUtc: at,
            toolExecutionNotifications: skippedChecks.map(({ what, why }) => ({
              level: "note",
              message: { text: `${what}: ${why}` },
            })),
          },
        ],
        columnKind: "utf16CodeUnits",
        results: ordered.map((finding) =>
          resultOf(finding, report, indexOf.get(finding.check) ?? -1),
        ),
        properties: { site },
      },
    ],
  };
}
