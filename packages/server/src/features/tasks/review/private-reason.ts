import type { PrivateComparison } from "../../release/private/compare-sites.ts";
import { findingLabel } from "../../release/private/private-gate.ts";
import type { ReviewReason } from "../schema.ts";

const maxItems = 20;

/**
 * Why a change that would show private text needs review: names pages and records, never the text,
 * because reasons are emailed. Empty if there is nothing private.
 */
export function privateReasons(comparison: PrivateComparison): ReviewReason[] {
  const { findings, total, fingerprint, incomplete } = comparison;
  if (fingerprint === "") return [];
  const shown = findings.slice(0, total > maxItems ? maxItems - 1 : maxItems).map(findingLabel);
  const items = total > shown.length ? [...shown, `and ${total - shown.length} more`] : shown;
  const message =
    total === 0
      ? `${incomplete} Review the change first.`
      : "It would publish private text from your records.";
  return [{ kind: "private", message, items, fingerprint }];
}
