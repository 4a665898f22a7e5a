import { parseJson } from "../../../kit/json.ts";
import { cleanText } from "../../../kit/text.ts";
import { quoteAsData } from "../../agent/prompts/untrusted-data.ts";
import type { Occurrence } from "vitrine-qa/src/engine/job.ts";
import type { FindingSource } from "../source/finding-source.ts";
import type { FindingRow } from "../findings/store.ts";

/** Maximum characters of a finding's evidence, and of one text in it. */
const maxLength = { finding: 3000, text: 400 } as const;
const maxPlaces = 20;

/** The evidence of a stored finding, parsed. */
export function evidenceOf({ evidence }: Pick<FindingRow, "evidence">): Record<string, unknown> {
  return parseJson(evidence) as Record<string, unknown>;
}

/** The first occurrences of a stored finding. */
export function occurrencesOf({ occurrences }: Pick<FindingRow, "occurrences">): Occurrence[] {
  return parseJson(occurrences) as Occurrence[];
}

function cut(text: string, limit: number): string {
  const clean = cleanText(text, { multiline: true });
  return clean.length > limit ? `${clean.slice(0, Math.max(0, limit - 1)).toWellFormed()}…` : clean;
}

function placeLine({ page, selector, line, text }: Occurrence): string {
  const at = line === null ? page : `${page}, line ${line}`;
  return cut([at, selector, text].filter(Boolean).join(" | "), maxLength.text);
}

/** Where a finding is edited: `app/src/pages/about.astro:12`, `project "tidewater", field body`. */
export function sourceText(source: FindingSource): string {
  if (source.kind === "file") {
    return source.line === null ? source.file : `${source.file}:${source.line}`;
  }
  const item = source.item === null ? "" : `, image ${source.item}`;
  return `project "${source.slug}", field ${source.field}${item}`;
}

function describeFinding(row: FindingRow, source: FindingSource | null): string {
  const places = occurrencesOf(row).slice(0, maxPlaces);
  // Images are for people: as text, their bytes say nothing.
  const isImage = (value: unknown) => typeof value === "string" && value.startsWith("data:");
  const described = Object.entries(evidenceOf(row)).filter(([, value]) => !isImage(value));
  const evidence = described.map(
    ([name, value]) => `${name}: ${cut(JSON.stringify(value), maxLength.text)}`,
  );
  const lines = [
    `check: ${row.check_id}`,
    `page: ${row.page_url}`,
    ...(row.target === null ? [] : [`target: ${row.target}`]),
    `message: ${cut(row.message, maxLength.text)}`,
    ...(source === null ? [] : [`source: ${cut(sourceText(source), maxLength.text)}`]),
    ...evidence,
    `places (${row.occurrence_count}):`,
    ...places.map((place) => `- ${placeLine(place)}`),
  ];
  return cut(lines.join("\n"), maxLength.finding);
}

/**
 * The evidence for fixing a finding, between markers, because it is page content; at most `room`
 * characters including the markers. Empty if there is no room.
 */
export function quoteEvidence(
  rows: readonly FindingRow[],
  sources: ReadonlyMap<number, FindingSource | null>,
  room: number,
): string {
  const label = "what was found on the site";
  const frame = quoteAsData(label, "").length;
  const text = rows.map((row) => describeFinding(row, sources.get(row.id) ?? null)).join("\n\n");
  return room <= frame ? "" : quoteAsData(label, cut(text, room - frame));
}
