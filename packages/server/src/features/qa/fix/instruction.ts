import { cleanText } from "../../../kit/text.ts";
import { parseInstruction } from "../../agent/literal/grammar.ts";
import { withNote } from "../../agent/prompts/owner-note.ts";
import { taskBounds } from "../../tasks/schema.ts";
import { titleOf } from "vitrine-qa/src/checks/catalog.ts";
import type { FindingRow } from "../findings/store.ts";
import type { FindingSource } from "../source/finding-source.ts";
import { quoteEvidence } from "./evidence.ts";
import { isAlt, type Repair } from "./repair.ts";

/** An exact fix is the whole instruction: the literal editor accepts no other text with it. */
export function isExact(ownerInstruction: string): boolean {
  const { commands, rest } = parseInstruction(ownerInstruction);
  return rest === "" && commands.length > 0;
}

/**
 * The instruction of a task that fixes findings: what to do, the owner's note, and then, as data,
 * the evidence with where it is edited. At most 8,000 characters. The note never prevents an exact fix: the literal editor
 * ignores it.
 */
export function instructionOf(
  rows: readonly FindingRow[],
  repair: Repair,
  ownerInstruction: string,
  sources: ReadonlyMap<number, FindingSource | null> = new Map(),
): string {
  const words = isExact(ownerInstruction)
    ? ownerInstruction
    : withNote(repair.text, ownerInstruction);
  const evidence = quoteEvidence(rows, sources, taskBounds.instruction - words.length - 2);
  return `${words}\n\n${evidence}`.trimEnd();
}

/** A task's title: what is wrong, as in the catalog, and where. */
export function taskTitle(rows: readonly FindingRow[]): string {
  const [first] = rows;
  const check = first?.check_id ?? "";
  const what =
    rows.length > 1 && isAlt(check) ? `Alt texts of ${rows.length} images` : titleOf(check);
  const title = cleanText(`${what} (${first?.page_url ?? ""})`.replace(/\s+/g, " "));
  const { title: limit } = taskBounds;
  return title.length > limit ? `${title.slice(0, limit - 1).toWellFormed()}…` : title;
}

const rootRelative = /^\/(?![/\\])[^\s\\\p{Cc}\p{Cs}\p{Bidi_C}]*$/u;

/** The page as stored in a task: root-relative and encoded; null if it isn't a page of the site. */
export function taskPage(pageUrl: string): string | null {
  if (!pageUrl.startsWith("/") || !URL.canParse(pageUrl, "http://site.invalid")) return null;
  const { pathname, search } = new URL(pageUrl, "http://site.invalid");
  const page = pathname + search;
  return page.length <= 2000 && rootRelative.test(page) ? page : null;
}
