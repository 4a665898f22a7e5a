import { ToolRefusal } from "./refusal.ts";

function words(line: string): Set<string> {
  return new Set(line.toLowerCase().match(/[\p{L}\p{N}]+/gu));
}

/** Only so much of a line counts for how like it is to another. */
const maxComparedLength = 2000;

/** The line that shares most words with the first line searched for, with its number. */
function nearestLine(text: string, search: string): string {
  const first = search.split("\n").find((line) => line.trim() !== "") ?? "";
  const wanted = words(first.slice(0, maxComparedLength));
  let best = { score: 0, at: -1 };
  const lines = text.split("\n");
  for (const [at, line] of lines.entries()) {
    const present = words(line.slice(0, maxComparedLength));
    const shared = [...wanted].filter((word) => present.has(word)).length;
    const score = shared / (wanted.size + present.size - shared || 1);
    if (score > best.score) best = { score, at };
  }
  if (best.at < 0) return " No line is similar.";
  return ` The most similar is line ${best.at + 1}: ${(lines[best.at] ?? "").slice(0, 300)}`;
}

const maxHintLength = 2000;

function bare(line: string): string {
  return line.trim().replace(/\s+/g, " ");
}

/** The lines at which `wanted` stands in `plain`, line by line; one line alone may be part of another. */
function linesWith(plain: readonly string[], wanted: readonly string[]): number[] {
  const [only = ""] = wanted;
  if (wanted.length === 1) return plain.flatMap((line, at) => (line.includes(only) ? [at] : []));
  // As one text, because a search goes through it once whatever repeats in it.
  const text = `\n${plain.join("\n")}\n`;
  const search = `\n${wanted.join("\n")}\n`;
  const found: number[] = [];
  let [line, counted] = [0, 0];
  for (let at = text.indexOf(search); at >= 0; at = text.indexOf(search, at + 1)) {
    for (; counted < at; counted += 1) if (text[counted] === "\n") line += 1;
    found.push(line);
  }
  return found;
}

/** Where the text stands with other white space, and how exactly: told, never guessed at. */
function otherWhiteSpace(text: string, search: string): string | null {
  const wanted = search.trim().split("\n").map(bare);
  if (wanted.every((line) => line === "")) return null;
  const lines = text.split("\n");
  const found = linesWith(lines.map(bare), wanted);
  const [first] = found;
  if (first === undefined) return null;
  const exact = lines.slice(first, first + wanted.length).join("\n");
  if (exact.length > maxHintLength) {
    return ` It is there with different white space at line ${first + 1}; read it from there.`;
  }
  const more = found.length > 1 ? `, and ${found.length - 1} times more` : "";
  return ` It is there with different white space (line ${first + 1}${more}). The exact text is:\n${exact}`;
}

/** How often a text stands in another, and on which lines the first ten times. */
function occurrences(text: string, search: string): { count: number; lines: number[] } {
  const lines: number[] = [];
  let [count, line, counted] = [0, 1, 0];
  for (let at = text.indexOf(search); at >= 0; at = text.indexOf(search, at + search.length)) {
    count += 1;
    if (lines.length === 10) continue;
    for (; counted < at; counted += 1) if (text[counted] === "\n") line += 1;
    lines.push(line);
  }
  return { count, lines };
}

/**
 * Replaces an exact text that must be there exactly once, or everywhere with `all`.
 * Throws ToolRefusal `no_match` that names the nearest line, or the lines that match.
 */
export function replaceExactly(
  text: string,
  search: string,
  replace: string,
  all: boolean,
): string {
  const { count, lines } = occurrences(text, search);
  if (count === 0) {
    const hint = otherWhiteSpace(text, search) ?? nearestLine(text, search);
    throw new ToolRefusal("no_match", `This text is not in the file.${hint}`);
  }
  if (count > 1 && !all) {
    throw new ToolRefusal(
      "no_match",
      `This text is there ${count} times (lines ${lines.join(", ")}). Add a line around it, or set replaceAll.`,
    );
  }
  // A function, because a string would have its $& and $1 expanded.
  return text.replaceAll(search, () => replace);
}
