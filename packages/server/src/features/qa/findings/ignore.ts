import { AppError } from "../../../kit/errors.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { inTransaction } from "../../tasks/store.ts";
import {
  applyIgnoreRules,
  deleteIgnore,
  findIgnore,
  ignoreOpen,
  insertIgnore,
  findLatestIgnoreId,
  endIgnore,
  replaceRule,
} from "./ignore-store.ts";
import { findFinding, type FindingRow } from "./store.ts";

export interface IgnoreOptions {
  reason: string;
  /** ISO 8601; null is forever. */
  until: string | null;
  /** The owner's name. */
  by: string;
  /** Now, ISO 8601. */
  at: string;
}

/** One finding, or a check's findings on one page or on all. */
export type IgnoreTarget = { findingId: number } | { check: string; pageUrl: string | null };

function noFinding(): AppError {
  return new AppError("not_found", "This finding doesn't exist.");
}

function wrongState({ status }: FindingRow, rule: string): AppError {
  return new AppError("invalid_state", `The finding is ${status}. ${rule}`, {
    details: { status },
  });
}

async function ignoreOne(trx: Db, findingId: number, ignoring: IgnoreOptions): Promise<number> {
  const finding = await findFinding(trx, findingId);
  if (!finding) throw noFinding();
  const about = { kind: "finding", fingerprint: finding.fingerprint } as const;
  const ignoreId = await insertIgnore(trx, { ...about, check: null, pageUrl: null, ...ignoring });
  const ignored = await ignoreOpen(trx, ignoreId, { findingId });
  if (ignored === 0) throw wrongState(finding, "Only open findings can be ignored.");
  return ignored;
}

/**
 * Ignores an open finding, or with a rule all open and future findings of a check. Repeating a rule
 * replaces the earlier one and applies to all. Returns the number of findings it ignores. Throws
 * `not_found`, `invalid_state` (the finding isn't open; details {status}), and `validation_failed`
 * if `until` is in the past.
 */
export async function ignoreFinding(
  db: Db,
  options: IgnoreTarget & IgnoreOptions,
): Promise<{ ignored: number }> {
  if (options.until !== null && options.until <= options.at) {
    throw new AppError("validation_failed", "Choose a date in the future.", {
      fields: { until: "is in the past" },
    });
  }
  return inTransaction(db, async (trx) => {
    if ("findingId" in options) {
      return { ignored: await ignoreOne(trx, options.findingId, options) };
    }
    const { check, pageUrl } = options;
    const about = { kind: "rule", fingerprint: null, check, pageUrl } as const;
    const ignoreId = await insertIgnore(trx, { ...about, ...options });
    const taken = await replaceRule(trx, ignoreId, { check, pageUrl });
    return { ignored: taken + (await ignoreOpen(trx, ignoreId, { check, pageUrl })) };
  });
}

/**
 * Reopens an ignored finding; one that is gone by now becomes fixed. Existing rules no longer apply
 * to it; later ones do. Throws `not_found` and `invalid_state` (it isn't ignored; details
 * {status}).
 */
export async function reopenFinding(
  db: Db,
  { findingId }: { findingId: number },
): Promise<{ reopened: number }> {
  return inTransaction(db, async (trx) => {
    const finding = await findFinding(trx, findingId);
    if (!finding) throw noFinding();
    const exempt = await findLatestIgnoreId(trx);
    const { opened, fixed } = await endIgnore(trx, { findingId }, exempt);
    const reopened = opened + fixed;
    if (reopened === 0) throw wrongState(finding, "Only ignored findings can be reopened.");
    if (finding.ignore_kind === "finding") await deleteIgnore(trx, finding.ignore_id ?? 0);
    return { reopened };
  });
}

/**
 * Ends any kind of ignoring: the findings are open again unless another rule applies. Throws
 * `not_found`.
 */
export async function unignore(db: Db, id: number): Promise<{ reopened: number }> {
  return inTransaction(db, async (trx) => {
    if (!(await findIgnore(trx, id))) {
      throw new AppError("not_found", "This finding isn't ignored.");
    }
    const { opened } = await endIgnore(trx, { ignoreId: id });
    await deleteIgnore(trx, id);
    return { reopened: opened - (await applyIgnoreRules(trx)) };
  });
}

/** Ignores everything that is open now, so that only later findings are reported. */
export async function ignoreAllOpen(
  db: Db,
  { by, at }: { by: string; at: string },
): Promise<{ ignored: number }> {
  return inTransaction(db, async (trx) => {
    const reason = `Existed when the baseline was set on ${at.slice(0, 10)}.`;
    const about = { kind: "baseline", fingerprint: null, check: null, pageUrl: null } as const;
    const ignoreId = await insertIgnore(trx, { ...about, reason, until: null, by, at });
    const ignored = await ignoreOpen(trx, ignoreId, {});
    if (ignored === 0) await deleteIgnore(trx, ignoreId);
    return { ignored };
  });
}
