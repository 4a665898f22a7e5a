import { z } from "zod";
import { assertWhole } from "./elision.ts";
import { countsOf, fileChange } from "./file-change.ts";
import { ToolRefusal } from "./refusal.ts";
import { type AgentTool, fileName, type ToolScope } from "./tool.ts";

const input = z.object({
  path: z.string(),
  search: z.string().min(1).describe("The exact present text, with its white space."),
  replace: z.string().describe("What takes its place; empty to delete it."),
  replaceAll: z.boolean().default(false),
  confirm: z
    .boolean()
    .default(false)
    .describe(
      "Only to drop most of a long file, or to write a phrase that was refused, on purpose.",
    ),
});

function words(line: string): Set<string> {
  return new Set(line.toLowerCase().match(/[\p{L}\p{N}]+/gu));
}

/** The line that shares most words with the first line searched for, with its number. */
function nearestLine(text: string, search: string): string {
  const wanted = words(search.split("\n").find((line) => line.trim() !== "") ?? "");
  let best = { score: 0, at: -1 };
  const lines = text.split("\n");
  for (const [at, line] of lines.entries()) {
    const present = words(line);
    const shared = [...wanted].filter((word) => present.has(word)).length;
    const score = shared / (wanted.size + present.size - shared || 1);
    if (score > best.score) best = { score, at };
  }
  if (best.at < 0) return " No line is like it.";
  return ` The nearest is line ${best.at + 1}: ${(lines[best.at] ?? "").slice(0, 300)}`;
}

const longestHint = 2000;

function bare(line: string): string {
  return line.trim().replace(/\s+/g, " ");
}

/** Where the text stands with other white space, and how exactly: told, never guessed at. */
function otherWhiteSpace(text: string, search: string): string | null {
  const wanted = search.trim().split("\n").map(bare);
  if (wanted.every((line) => line === "")) return null;
  const lines = text.split("\n");
  const plain = lines.map(bare);
  const found: number[] = [];
  for (let at = 0; at + wanted.length <= lines.length; at += 1) {
    const fits = wanted.every((line, i) =>
      wanted.length === 1 ? plain[at + i]?.includes(line) === true : plain[at + i] === line,
    );
    if (fits) found.push(at);
  }
  const [first] = found;
  if (first === undefined) return null;
  const exact = lines.slice(first, first + wanted.length).join("\n");
  if (exact.length > longestHint) {
    return ` It is there with other white space at line ${first + 1}; read it from there.`;
  }
  const more = found.length > 1 ? `, and ${found.length - 1} times more` : "";
  return ` It is there with other white space (line ${first + 1}${more}). Exactly it is:\n${exact}`;
}

function linesOf(text: string, search: string): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(search); at >= 0; at = text.indexOf(search, at + search.length)) {
    found.push(text.slice(0, at).split("\n").length);
  }
  return found;
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
  const lines = linesOf(text, search);
  if (lines.length === 0) {
    const hint = otherWhiteSpace(text, search) ?? nearestLine(text, search);
    throw new ToolRefusal("no_match", `This text is not in the file.${hint}`);
  }
  if (lines.length > 1 && !all) {
    throw new ToolRefusal(
      "no_match",
      `This text is there ${lines.length} times (lines ${lines.slice(0, 10).join(", ")}). Add a line around it, or set replaceAll.`,
    );
  }
  // A function, because a string would have its $& and $1 expanded.
  return text.replaceAll(search, () => replace);
}

export function editTool({ jail, seen }: ToolScope): AgentTool<z.infer<typeof input>> {
  return {
    name: "edit",
    description:
      "Replaces an exact text of a file by another. The text must be there exactly once, or set replaceAll.",
    input,
    title: ({ path }) => `Edit ${fileName(path)}`,
    async run({ path, search, replace, replaceAll, confirm }) {
      const resolved = jail.resolve(path);
      const before = await jail.readText(resolved);
      seen.assertFresh(resolved, before);
      const after = replaceExactly(before, search, replace, replaceAll);
      if (after === before) return { text: "Nothing changes: both texts are the same." };
      assertWhole(before, replace, after, confirm);
      await jail.writeText(resolved, after);
      seen.note(resolved, after);
      const change = fileChange(resolved, before, after);
      return {
        text: `Edited ${resolved} (${countsOf(change)}).`,
        title: `Edited ${fileName(resolved)} ${countsOf(change)}`,
        changes: [change],
      };
    },
  };
}
