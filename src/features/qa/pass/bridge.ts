import { createHash } from "node:crypto";
import { z } from "zod";
import { AppError } from "../../../kit/errors.ts";
import { cleanText } from "../../../kit/text.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { EngineResult, Observation } from "../engine/job.ts";
import type { Reconciled } from "../findings/reconcile-store.ts";
import { confidence, occurrence, type PassStatus, scope, severity } from "../schema.ts";
import { finishPass } from "./finish.ts";
import { endPass, insertPass, passById, type PassRow, prunePasses, runningPass } from "./store.ts";

const most = { findings: 5000, pages: 20_000, places: 50 } as const;

const text = (length: number) =>
  z
    .string()
    .overwrite((value) => cleanText(value, { multiline: true }))
    .max(length);
const page = text(2000).min(1);
const check = text(120).regex(/^[a-z0-9][\w.-]*$/i, "is no name of a check");

const outsideFinding = z.strictObject({
  check,
  severity,
  message: text(1000).min(1),
  /** The path of the page. */
  pageUrl: page.default("/"),
  /** What it is about: an address, a file, a word. With check, page and selector it is its identity. */
  target: text(500).nullable().default(null),
  category: text(60).default("other"),
  scope: scope.default("page"),
  confidence: confidence.default("confirmed"),
  safe: z.boolean().default(false),
  evidence: z.record(z.string(), z.json()).default({}),
  occurrences: z
    .array(
      occurrence.extend({ page, selector: text(300).default(""), text: text(300).default("") }),
    )
    .max(most.places)
    .default([]),
});

/** What a program brings by `qa-finish`. */
export const outsideReport = z.strictObject({
  findings: z.array(outsideFinding).max(most.findings).default([]),
  /** The checks that were made; those of the findings, unless told. Only what they say can be fixed. */
  checks: z.array(check).max(1000).optional(),
  /** Paths of the pages that were looked at; those of the findings, unless told. */
  pages: z.array(page).max(most.pages).optional(),
  links: z.number().int().min(0).max(10_000_000).default(0),
  /** False when something of the site was left out. */
  complete: z.boolean().default(true),
});
export type OutsideReport = z.infer<typeof outsideReport>;

/** A program's findings are its own: another one's, or our engine's, have other identities. */
function fingerprintOf(program: string, finding: z.infer<typeof outsideFinding>): string {
  const place = finding.target === null ? (finding.occurrences[0]?.selector ?? "") : "";
  const identity = [program, finding.check, finding.pageUrl, finding.target ?? "", place];
  // Where neither tells, the words do.
  if (finding.target === null && place === "") identity.push(finding.message);
  return createHash("sha256").update(identity.join("\0")).digest("hex").slice(0, 24);
}

function observationOf(program: string, finding: z.infer<typeof outsideFinding>): Observation {
  const { pageUrl, occurrences: said, ...rest } = finding;
  const occurrences =
    said.length > 0 ? said : [{ page: pageUrl, selector: "", line: null, text: "" }];
  return {
    ...rest,
    page: pageUrl,
    fingerprint: fingerprintOf(program, finding),
    critical: false,
    engine: program,
    occurrences,
    occurrenceCount: occurrences.length,
    pageCount: new Set(occurrences.map((place) => place.page)).size,
  };
}

function resultOf(program: string, report: OutsideReport): EngineResult {
  const observations = report.findings.map((finding) => observationOf(program, finding));
  const seen = observations.flatMap(({ occurrences }) => occurrences.map((place) => place.page));
  const visited = report.pages ?? [...new Set(seen)];
  return {
    observations,
    unchanged: false,
    visited,
    browserKept: [],
    // Whatever it looked with, it has looked.
    browserVisited: visited,
    externalKept: [],
    notRun: [],
    complete: report.complete,
    known: { site: null, resources: [], externals: [] },
    stats: { pages: visited.length, links: report.links, browserPages: 0, ms: 0 },
  };
}

/**
 * Writes down that a program of the command line begins a pass; `program` is what it is called.
 * Throws AppError `invalid_state` with details {runId} when a pass runs.
 */
export async function startOutside(db: Db, program: string): Promise<PassRow> {
  const by = cleanText(program).slice(0, 100) || "outside";
  const row = await insertPass(db, { trigger: "manual", runnerId: null, by });
  if (row !== null) return row;
  const runId = (await runningPass(db))?.id ?? null;
  throw new AppError("invalid_state", "A pass is running already.", { details: { runId } });
}

export interface FinishOutside {
  passId: number;
  status: Extract<PassStatus, "finished" | "failed">;
  /** Of a finished pass. */
  report: OutsideReport;
  /** Of a failed one: why. */
  error?: string;
  /** Now, ISO 8601. */
  at: string;
  keep: number;
}

/**
 * Ends a pass that a program began. Of its own findings those are fixed that its report, whose
 * checks and pages say so, has no more; nobody else's change. Throws `not_found` and `invalid_state`
 * (it isn't such a pass, or runs no more; details {status}).
 */
export async function finishOutside(
  db: Db,
  options: FinishOutside,
): Promise<{ pass: PassRow; sum: Reconciled | null }> {
  const { passId, status, report, at, keep } = options;
  const row = await passById(db, passId);
  if (!row) throw new AppError("not_found", "There is no such pass.");
  const refused = (why: string, now: PassStatus) =>
    new AppError("invalid_state", why, { details: { status: now } });
  if (row.runner_id !== null) throw refused("A runner is at this pass.", row.status);
  const program = row.requested_by;
  let sum: Reconciled | null = null;
  let ended: boolean;
  if (status === "finished") {
    const checks = report.checks ?? report.findings.map((finding) => finding.check);
    const outside = { name: program, checks };
    sum = await finishPass(db, { passId, result: resultOf(program, report), at, keep, outside });
    ended = sum !== null;
  } else {
    ended = await db.transaction().execute(async (trx) => {
      const error = cleanText(options.error ?? "").slice(0, 500) || "The program failed.";
      const done = await endPass(trx, passId, { status, error });
      if (done) await prunePasses(trx, keep);
      return done;
    });
  }
  const pass = await passById(db, passId);
  if (!pass) throw new AppError("not_found", "There is no such pass.");
  if (!ended) throw refused(`The pass is ${pass.status} already.`, pass.status);
  return { pass, sum };
}
