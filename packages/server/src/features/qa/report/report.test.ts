import { SaxesParser } from "saxes";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { observed } from "../../../../../../test/support/qa-app.ts";
import { titleOf } from "vitrine-qa/src/checks/catalog.ts";
import type { Observation } from "vitrine-qa/src/engine/job.ts";
import { jsonReport } from "./schema.ts";
import { formats } from "vitrine-qa/src/report/formats.ts";
import type { QaReport, ReportFinding } from "vitrine-qa/src/report/report.ts";

function findingOf({ page, ...seen }: Observation): ReportFinding {
  const critical = seen.check === "health.admin-gate";
  return {
    ...seen,
    critical,
    title: titleOf(seen.check),
    pageUrl: page,
    evidence: { ...seen.evidence },
  };
}

const nasty = 'A “link”\u0000\u001b[31m <b>&\r\n"quotes", ]]> \ud800 \u202e';

const findings = [
  observed("seo.title-length", "/", { message: "The title is long." }),
  observed("link.internal-broken", "/about us/ü/", {
    target: "/abuot/",
    message: nasty,
    safe: true,
    evidence: { candidate: "/about/", act: ["abc123"], nested: { a: [1, null] } },
    location: { selector: "main > a", line: 12, text: nasty },
  }),
  observed("a11y.incomplete", "/", { confidence: "review", severity: "notice" }),
  observed("health.admin-gate", "/", { severity: "error" }),
].map(findingOf);

const report: QaReport = {
  site: "https://example.com/base/",
  at: "2026-11-21T10:00:00.123Z",
  tool: { name: "Vitrine", version: "1.2.3" },
  stats: { pages: 2, links: 9, browserPages: 0, ms: 1234.5 },
  isComplete: true,
  skippedChecks: [{ what: "Contrast", why: 'no "browser" <here>' }],
  baselineCount: 1,
  findings,
};
const empty: QaReport = {
  ...report,
  findings: [],
  skippedChecks: [],
  baselineCount: 0,
  stats: null,
};

// The parts of the standard's schema (SARIF 2.1.0, section 3) that a log of ours is made of: keys
// that it doesn't know are refused, as the schema has it.
const message = z.strictObject({ text: z.string().min(1) });
const level = z.enum(["none", "note", "warning", "error"]);
const bag = z.looseObject({ tags: z.array(z.string()).optional() });
const location = z.strictObject({
  physicalLocation: z.strictObject({
    artifactLocation: z.strictObject({ uri: z.url() }),
    region: z.strictObject({ startLine: z.number().int().min(1) }).optional(),
  }),
  logicalLocations: z
    .array(z.strictObject({ fullyQualifiedName: z.string(), kind: z.literal("element") }))
    .optional(),
  message: message.optional(),
});
const sarif = z.strictObject({
  $schema: z.url(),
  version: z.literal("2.1.0"),
  runs: z.tuple([
    z.strictObject({
      tool: z.strictObject({
        driver: z.strictObject({
          name: z.string().min(1),
          version: z.string(),
          rules: z.array(
            z.strictObject({
              id: z.string().min(1),
              shortDescription: message,
              fullDescription: message,
              help: message,
              helpUri: z.url().optional(),
              defaultConfiguration: z.strictObject({ level }),
              properties: bag,
            }),
          ),
        }),
      }),
      invocations: z.array(
        z.strictObject({
          executionSuccessful: z.boolean(),
          endTimeUtc: z.iso.datetime(),
          toolExecutionNotifications: z.array(z.strictObject({ level, message })),
        }),
      ),
      columnKind: z.enum(["utf16CodeUnits", "unicodeCodePoints"]),
      results: z.array(
        z.strictObject({
          ruleId: z.string(),
          ruleIndex: z.number().int().min(0),
          kind: z.enum(["notApplicable", "pass", "fail", "review", "open", "informational"]),
          level,
          message,
          locations: z.array(location).min(1),
          partialFingerprints: z.record(z.string(), z.string()),
          occurrenceCount: z.number().int().min(1),
          suppressions: z
            .array(z.strictObject({ kind: z.enum(["inSource", "external"]), status: z.string() }))
            .optional(),
          properties: bag,
        }),
      ),
      properties: bag,
    }),
  ]),
});

interface Node {
  name: string;
  attributes: Record<string, string>;
  children: Node[];
  text: string;
}

/** Reads XML strictly: what isn't well-formed throws. */
function readXml(text: string): Node {
  const root: Node = { name: "", attributes: {}, children: [], text: "" };
  const open = [root];
  const parser = new SaxesParser();
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("opentag", ({ name, attributes }) => {
    const node = { name, attributes: { ...attributes }, children: [], text: "" };
    open.at(-1)?.children.push(node);
    open.push(node);
  });
  parser.on("text", (piece) => void (open.at(-1)!.text += piece));
  parser.on("closetag", () => void open.pop());
  parser.write(text).close();
  return root.children[0]!;
}

/** Reads a table by RFC 4180. */
function readCsv(text: string): string[][] {
  const rows = text.split("\r\n");
  expect(rows.pop()).toBe("");
  return rows.map((row) =>
    [...row.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^",]*))/g)].map(
      ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? "",
    ),
  );
}

describe("JSON", () => {
  test("is as its schema describes it, the gravest first, with the evidence as it is", () => {
    const read = jsonReport.strict().parse(JSON.parse(formats.json.write(report)));
    expect(read.findings.map(({ check }) => check)).toEqual([
      "health.admin-gate",
      "link.internal-broken",
      "a11y.incomplete",
      "seo.title-length",
    ]);
    expect(read).toMatchObject({
      version: 2,
      counts: { error: 2, warning: 0, notice: 2 },
      baselineCount: 1,
    });
    expect(read.findings[1]?.evidence).toEqual(findings[1]?.evidence);
    const turned = { ...report, findings: findings.toReversed() };
    expect(formats.json.write(turned)).toBe(formats.json.write(report));
  });
});

describe("SARIF", () => {
  const log = () => sarif.parse(JSON.parse(formats.sarif.write(report))).runs[0];

  test("has the standard's shape, also with nothing found", () => {
    expect(log().results).toHaveLength(4);
    expect(sarif.parse(JSON.parse(formats.sarif.write(empty))).runs[0]).toMatchObject({
      results: [],
      tool: { driver: { rules: [] } },
    });
  });

  test("names each rule once, each place by its address, and what only people can tell", () => {
    const { results, tool } = log();
    for (const { ruleId, ruleIndex } of results) {
      expect(tool.driver.rules[ruleIndex]?.id).toBe(ruleId);
    }
    expect(new Set(tool.driver.rules.map(({ id }) => id)).size).toBe(tool.driver.rules.length);
    const link = results.find(({ ruleId }) => ruleId === "link.internal-broken");
    expect(link).toMatchObject({
      kind: "fail",
      level: "error",
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: "https://example.com/about%20us/%C3%BC/" },
            region: { startLine: 12 },
          },
          logicalLocations: [{ fullyQualifiedName: "main > a", kind: "element" }],
        },
      ],
      partialFingerprints: { "vitrine/v1": findings[1]?.fingerprint },
      properties: { evidence: { act: ["abc123"] } },
    });
    const review = results.find(({ ruleId }) => ruleId === "a11y.incomplete");
    expect(review).toMatchObject({ kind: "review", level: "none" });
    expect(log().invocations[0]).toMatchObject({
      executionSuccessful: true,
      toolExecutionNotifications: [{ level: "note" }],
    });
  });
});

describe("JUnit", () => {
  test("is well-formed, whatever a page says, with a suite for each category", () => {
    const root = readXml(formats.junit.write(report));
    expect(root).toMatchObject({
      name: "testsuites",
      attributes: { tests: "5", failures: "4", errors: "0", skipped: "1" },
    });
    const suites = root.children.map(({ attributes }) => [attributes["name"], attributes["tests"]]);
    expect(suites).toEqual([
      ["health", "1"],
      ["links", "1"],
      ["accessibility", "1"],
      ["seo", "1"],
      ["not checked", "1"],
    ]);
    const [failure] = root.children[1]?.children[0]?.children ?? [];
    expect(failure).toMatchObject({ name: "failure", attributes: { type: "error" } });
    expect(failure?.attributes["message"]).toBe(
      'A “link”\\u0000\\u001b[31m <b>&\r\n"quotes", ]]> \ufffd \u202e',
    );
    expect(failure?.text).toContain("https://example.com/about%20us/%C3%BC/:12");
    expect(readXml(formats.junit.write(empty)).children).toEqual([]);
  });
});

describe("a table", () => {
  test("keeps to RFC 4180, one finding a line, whatever its words are", () => {
    const [names, ...rows] = readCsv(formats.csv.write(report));
    expect(rows).toHaveLength(4);
    for (const row of rows) expect(row).toHaveLength(names?.length ?? 0);
    const column = (name: string) => rows[1]?.[names?.indexOf(name) ?? -1];
    expect(column("message")).toBe('A “link”[31m <b>& "quotes", ]]> \ufffd');
    expect(column("page")).toBe("https://example.com/about%20us/%C3%BC/");
    expect(column("line")).toBe("12");
  });

  test.each(["=1+1", "+1", "-1", "@SUM(A1)", " =1", "\t=1", "\r\n=1", "＝1", "'=1", '"=1"'])(
    "%j is no formula",
    (words) => {
      const [, row] = readCsv(
        formats.csv.write({
          ...report,
          findings: [{ ...findings[0]!, message: words, target: words }],
        }),
      );
      for (const value of row ?? []) expect(value).not.toMatch(/^[\s"]*[=+\-@＝]/);
      expect(row?.filter((value) => value.startsWith("'"))).toHaveLength(2);
    },
  );
});

test("lines for people hold nothing that a terminal obeys, and count what there is", () => {
  const text = formats.pretty.write(report);
  // eslint-disable-next-line no-control-regex
  expect(text).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u202A-\u202E]/);
  expect(text).toMatch(/^CRITICAL {2}Something is wrong with \/\. {2}\[health\.admin-gate\]\n/);
  expect(text).toContain("REVIEW  ");
  expect(text).toContain("Not checked: Contrast: no");
  expect(text).toContain("Left out because of the baseline: 1 finding.");
  expect(text.trimEnd()).toMatch(
    /2 errors, 0 warnings, 2 notices on https:\/\/example\.com\/base\/, 2 pages and 9 links in 1\.2 s\.$/,
  );
  expect(formats.pretty.write(empty)).toBe("Nothing found on https://example.com/base/.\n");
});

test.each(["json", "sarif", "junit"] as const)(
  "abuse 96: %s holds nothing as it is that a terminal obeys",
  (form) => {
    const words = "a\u009B31m\u202Eb\u2066\u007F";
    const evil = { ...report, findings: [{ ...findings[0]!, message: words }] };
    const text = formats[form].write(evil);
    // eslint-disable-next-line no-control-regex
    expect(text).not.toMatch(/[\u007F-\u009F\u202A-\u202E\u2066-\u2069]/);
    const read = form === "junit" ? text : JSON.stringify(JSON.parse(text));
    expect(read).toContain(form === "junit" ? "a&#155;31m&#8238;b&#8294;&#127;" : words);
  },
);
