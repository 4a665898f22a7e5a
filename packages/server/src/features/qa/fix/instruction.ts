import { cleanText } from "../../../kit/text.ts";
import { parseInstruction } from "../../agent/literal/grammar.ts";
import { withNote } from "../../agent/prompts/owner-note.ts";
import { taskBounds } from "../../tasks/schema.ts";
import { titleOf } from "vitrine-qa/src/checks/catalog.ts";
import type { FindingRow } from "../findings/store.ts";
import { quoteEvidence } from "./evidence.ts";
import { isAlt, type Repair } from "./repair.ts";

/** What is exact by itself is the whole instruction: the literal editor takes no other words with it. */
export function isExact(ownerInstruction: string): boolean {
  const { commands, rest } = parseInstruction(ownerInstruction);
  return rest === "" && commands.length > 0;
}

/**
 * The instruction of a task that fixes findings: what to do, what the owner says to it, and behind
 * them, as data, what was found. Of at most 8,000 characters. The owner's own words never keep what is
 * exact from being carried out: the literal editor takes them for a note.
 */
export function instructionOf(
  rows: readonly FindingRow[],
  repair: Repair,
  ownerInstruction: string,
): string {
  const words = isExact(ownerInstruction)
    ? ownerInstruction
    : withNote(repair.text, ownerInstruction);
  const evidence = quoteEvidence(rows, taskBounds.instruction - words.length - 2);
  return `${words}\n\n${evidence}`.trimEnd();
}

/** A task's title: what is wrong, in the words of the catalog, and where. */
export function taskTitle(rows: readonly FindingRow[]): string {
  const [first] = rows;
  const check = first?.check_id ?? "";
  const what =
    rows.length > 1 && isAlt(check)
      ? `Alternative texts of ${rows.length} pictures`
      : titleOf(check);
  const title = cleanText(`${what} (${first?.page_url ?? ""})`.replace(/\s+/g, " "));
  const { title: limit } = taskBounds;
  return title.length > limit ? `${title.slice(0, limit - 1).toWellFormed()}…` : title;
}

const rootRelative = /^\/(?![/\\])[^\s\\\p{Cc}\p{Cs}\p{Bidi_C}]*$/u;

/** The page as a task names it: root-relative and encoded; null for what is no page of the site. */
export function taskPage(pageUrl: string): string | null {
  if (!pageUrl.startsWith("/") || !URL.canParse(pageUrl, "http://site.invalid")) return null;
  const { pathname, search } = new URL(pageUrl, "http://site.invalid");
  const page = pathname + search;
  return page.length <= 2000 && rootRelative.test(page) ? page : null;
}
