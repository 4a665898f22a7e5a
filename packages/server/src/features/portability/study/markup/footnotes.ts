import type { MarkupContext } from "./markup-context.ts";

const definition = /^ {0,3}\[\^([^\]\s]{1,60})\]:[ \t]*(.*)$/;
/** A line that begins something else, which no paragraph reaches across. */
const blockStart = /^ {0,3}(?:#{1,6} |[-*+] |\d{1,9}[.)] |[>|<])/;
const superscript = "⁰¹²³⁴⁵⁶⁷⁸⁹";
const maxInlineLength = 1000;

/** The definitions of a text by their names, and the text without them. */
function takeDefinitions(text: string): { text: string; notes: Map<string, string[]> } {
  const notes = new Map<string, string[]>();
  const rest: string[] = [];
  let current: string[] | null = null;
  let isAfterBlank = false;
  for (const line of text.split("\n")) {
    const found = definition.exec(line);
    const isIndented = /^(?: {2}|\t)/.test(line);
    if (found !== null) {
      current = [found[2] ?? ""];
      const name = (found[1] ?? "").toLowerCase();
      if (!notes.has(name)) notes.set(name, current);
    } else if (current !== null && line.trim() === "") {
      current.push("");
    } else if (current !== null && (isIndented || !(isAfterBlank || blockStart.test(line)))) {
      current.push(line.replace(/^(?: {1,4}|\t)/, ""));
    } else {
      if (current !== null) rest.push("");
      current = null;
      rest.push(line);
    }
    isAfterBlank = line.trim() === "";
  }
  return { text: rest.join("\n"), notes };
}

/** Makes definitions of notes within a text, such as `word^[The note.]`. */
function nameInlineNotes(text: string, notes: Map<string, string[]>): string {
  let result = "";
  let done = 0;
  for (let at = text.indexOf("^["); at >= 0; at = text.indexOf("^[", at + 2)) {
    const end = endOfInline(text, at + 2);
    const words = text.slice(at + 2, end);
    if (
      at < done ||
      end < 0 ||
      !/[\p{L}\p{P}\p{N}]/u.test(text[at - 1] ?? "") ||
      !/\s/.test(words)
    ) {
      continue;
    }
    // No written name has a space.
    const name = `inline ${notes.size}`;
    notes.set(name, [words]);
    result += `${text.slice(done, at)}[^${name}]`;
    done = end + 1;
  }
  return result + text.slice(done);
}

/** Where the bracket closes that is open at `start`; -1 where it doesn't in its line. */
function endOfInline(text: string, start: number): number {
  let depth = 1;
  for (let at = start; at < text.length && at - start < maxInlineLength; at += 1) {
    const character = text[at];
    if (character === "\n") return -1;
    if (character === "[") depth += 1;
    if (character === "]") depth -= 1;
    if (depth === 0) return at;
  }
  return -1;
}

function numberMark(number: number): string {
  return String(number).replace(/\d/g, (digit) => superscript[Number(digit)] ?? digit);
}

/**
 * Turns footnotes, which Markdown on the site doesn't have, into raised numbers and a list at the end
 * of the text. Like on their own site, notes that nothing refers to aren't shown, which is noted.
 */
export function convertFootnotes(source: string, context: MarkupContext): string {
  if (!/\[\^|\^\[/.test(source)) return source;
  const taken = takeDefinitions(source);
  const { notes } = taken;
  const body = nameInlineNotes(taken.text, notes);
  if (notes.size === 0) return source;
  const numbers = new Map<string, number>();
  const refer = (text: string) =>
    text
      .replace(/(\[\^[^\]\n]{1,60}\])(?=\[\^)/g, "$1,")
      .replace(/\[\^([^\]\n]{1,60})\]/g, (whole, given: string) => {
        const name = given.toLowerCase();
        if (!notes.has(name)) return whole;
        const number = numbers.get(name) ?? numbers.size + 1;
        numbers.set(name, number);
        return numberMark(number);
      });
  const text = refer(body);
  const items: string[] = [];
  // A note may refer to a further one, which then follows.
  for (const [name, number] of numbers) {
    const marker = `${number}. `;
    const lines = refer((notes.get(name) ?? []).join("\n").trim());
    items.push(marker + lines.replace(/\n(?=.)/g, `\n${" ".repeat(marker.length)}`));
  }
  for (const name of notes.keys()) if (!numbers.has(name)) context.leaveOut(`[^${name}]`);
  return items.length === 0 ? text : `${text.trimEnd()}\n\n**Notes**\n\n${items.join("\n")}\n`;
}
