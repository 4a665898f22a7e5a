import type { Readable } from "node:stream";
import type { z } from "zod";
import { AppError } from "../../../kit/errors.ts";
import { parseInputJson } from "../../../kit/json.ts";
import { toFinding } from "vitrine-qa/src/check.ts";
import type { Json } from "vitrine-qa/src/finding.ts";
import { entryOf } from "vitrine-qa/src/checks/catalog.ts";
import type { Observation } from "vitrine-qa/src/engine/job.ts";
import { makeObservations } from "vitrine-qa/src/engine/observations.ts";
import { type ExternalFinding, externalReport } from "../report/schema.ts";

/** Maximum bytes of another program's report. */
const maxReportBytes = 32 * 1024 * 1024;

async function readAll(stream: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk as Uint8Array | string);
    size += bytes.length;
    if (size > maxReportBytes)
      throw new AppError("too_large", "The findings are larger than 32 MiB. Report fewer.");
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** The path in the input; a bare list stands for an object with only this list. */
function pathOf(issue: z.core.$ZodIssue, list: boolean): string {
  const keys = issue.code === "unrecognized_keys" ? issue.keys.slice(0, 1) : [];
  const path = [...issue.path, ...keys].map(String);
  return (list && path.length > 1 ? path.slice(1) : path).join(".") || "findings";
}

/** Maximum errors named for one report. */
const maxIssues = 20;

/**
 * Parses another program's report: a JSON list of findings, or an object with the list, the checks
 * made, and the pages visited. Throws `malformed_json`, `too_large`, and `validation_failed` with
 * errors by path, such as `12.severity`.
 */
export async function readReport(
  stream: Readable,
  program: string,
): Promise<{ observations: Observation[]; checks?: string[]; pages?: string[] }> {
  const given = parseInputJson(await readAll(stream));
  const list = Array.isArray(given);
  const parsed = externalReport.safeParse(list ? { findings: given } : given);
  if (parsed.success) {
    const { findings, checks, pages } = parsed.data;
    const observations = asObservations(findings, program);
    return { observations, ...(checks && { checks }), ...(pages && { pages }) };
  }
  const issues = parsed.error.issues.slice(0, maxIssues).map((issue) => {
    const unknown = issue.code === "unrecognized_keys";
    return [pathOf(issue, list), unknown ? "is unknown" : issue.message] as const;
  });
  throw new AppError("validation_failed", "The report doesn't match the expected format.", {
    fields: Object.fromEntries(issues),
  });
}

/**
 * Another program's findings as observations: identified by check, target, and locator like our
 * own. None of them is fixed unattended.
 */
function asObservations(found: readonly ExternalFinding[], program: string): Observation[] {
  const observations = makeObservations();
  for (const issues of found) {
    const { check, severity, page, target, locator, line, text } = issues;
    const category = issues.category ?? entryOf(check)?.category ?? check.split(".")[0] ?? check;
    const finding = toFinding({ id: check, category, severity }, page, {
      target,
      at: locator,
      message: issues.message,
      evidence: issues.evidence as Record<string, Json>,
      confidence: issues.confidence,
      safe: false,
      location: { selector: locator, line, text },
    });
    observations.add(finding, { scope: "page", engine: program });
  }
  return observations.all();
}
