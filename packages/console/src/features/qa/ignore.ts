import type { QaFinding } from "../../api/types.ts";
import { type Span, ignoreUntil } from "./labels.ts";

/** What to ignore: these findings, or all of a check on a page or anywhere. */
export interface IgnoreOptions {
  about: "finding" | "page" | "everywhere";
  reason: string;
  span: Span;
}

/** The requests for ignoring, by the browser's clock in ms. */
export function ignoreRequests(
  findings: readonly QaFinding[],
  { about, reason, span }: IgnoreOptions,
  now: number,
): object[] {
  const rest = { reason, until: ignoreUntil(span, now) };
  const [first] = findings;
  if (about === "finding" || !first) return findings.map(({ id }) => ({ findingId: id, ...rest }));
  const { check, pageUrl } = first;
  return [{ check, ...(about === "page" && { pageUrl }), ...rest }];
}
