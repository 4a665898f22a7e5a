import type { Observation, Occurrence } from "vitrine-qa/src/engine/job.ts";
import type { Coverage } from "./coverage.ts";
import type { FindingRow, NewFinding } from "./store.ts";

/** Maximum stored occurrences of a defect. */
const maxOccurrences = 50;
/** Characters of JSON; a small image fits. */
const maxEvidenceLength = 128 * 1024;
const maxLength = { message: 1000, url: 4000, name: 200 } as const;

/** PostgreSQL stores no NUL, and no database an unpaired surrogate. */
function storable(text: string, limit: number): string {
  return text.toWellFormed().replaceAll("\0", "").slice(0, limit).toWellFormed();
}

/** A page's name in findings. */
export const pageKey = (page: string): string => storable(page, maxLength.url);

/** The columns of an observation: everything that a later run may change. */
export type FindingContent = Pick<
  NewFinding,
  | "check_id"
  | "category"
  | "scope"
  | "severity"
  | "critical"
  | "confidence"
  | "engine"
  | "page_url"
  | "target"
  | "message"
  | "evidence"
  | "occurrences"
  | "occurrence_count"
  | "page_count"
  | "is_safe"
  | "on_visit"
>;

function readOccurrences(row: Pick<FindingRow, "occurrences">): Occurrence[] {
  return JSON.parse(row.occurrences) as Occurrence[];
}

/** The pages of a stored finding, each once. */
export function pagesOf(row: Pick<FindingRow, "occurrences" | "page_url">): string[] {
  const pages = readOccurrences(row).map(({ page }) => page);
  return [...new Set(pages.length === 0 ? [row.page_url] : pages)];
}

/** Occurrences that nobody has checked again, which therefore stay. */
function remaining(row: FindingRow, coverage: Coverage): Occurrence[] {
  return readOccurrences(row).filter(
    ({ page }) => !coverage.hasCovered(row.scope, page) && !coverage.isGone(page),
  );
}

function evidenceText(evidence: Observation["evidence"]): string {
  const text = JSON.stringify(evidence);
  return text.length > maxEvidenceLength ? '{"omitted":"It was too long to be kept."}' : text;
}

/** The columns of an observation; `before` is the same defect as stored. */
export function findingContent(
  seen: Observation,
  coverage: Coverage,
  before: FindingRow | null,
): FindingContent {
  const places = seen.occurrences.map((place) => ({ ...place, page: pageKey(place.page) }));
  const rest = before ? remaining(before, coverage) : [];
  const occurrences = [...places, ...rest].slice(0, maxOccurrences);
  const pages = [pageKey(seen.page), ...places.map(({ page }) => page)];
  // Which of its pages is found first can differ between runs and means nothing.
  const stays = before !== null && pages.includes(before.page_url);
  const isCovered = pages.every((page) => coverage.hasCovered(seen.scope, page));
  return {
    check_id: storable(seen.check, maxLength.name),
    category: storable(seen.category, maxLength.name),
    scope: seen.scope,
    severity: seen.severity,
    critical: seen.critical ? 1 : 0,
    confidence: seen.confidence,
    engine: storable(seen.engine, maxLength.name),
    page_url: stays ? before.page_url : pageKey(seen.page),
    target: seen.target === null ? null : storable(seen.target, maxLength.url),
    message: storable(seen.message, maxLength.message),
    evidence: evidenceText(seen.evidence),
    occurrences: JSON.stringify(occurrences),
    occurrence_count: seen.occurrenceCount + rest.length,
    page_count: seen.pageCount + new Set(rest.map(({ page }) => page)).size,
    is_safe: seen.isSafe ? 1 : 0,
    on_visit: isCovered ? 1 : 0,
  };
}

/** Whether a stored finding has exactly this content. */
export function isSame(row: FindingRow, content: FindingContent): boolean {
  return Object.entries(content).every(
    ([name, value]) => row[name as keyof FindingContent] === value,
  );
}
