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
    throw new ToolRefusal("no_match", `This text is not in the file.${nearestLine(text, search)}`);
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

export function editTool({ jail }: ToolScope): AgentTool<z.infer<typeof input>> {
  return {
    name: "edit",
    description:
      "Replaces an exact text of a file by another. The text must be there exactly once, or set replaceAll.",
    input,
    title: ({ path }) => `Edit ${fileName(path)}`,
    async run({ path, search, replace, replaceAll, confirm }) {
      const resolved = jail.resolve(path);
      const before = await jail.readText(resolved);
      const after = replaceExactly(before, search, replace, replaceAll);
      if (after === before) return { text: "Nothing changes: both texts are the same." };
      assertWhole(before, replace, after, confirm);
      await jail.writeText(resolved, after);
      const change = fileChange(resolved, before, after);
      return {
        text: `Edited ${resolved} (${countsOf(change)}).`,
        title: `Edited ${fileName(resolved)} ${countsOf(change)}`,
        changes: [change],
      };
    },
  };
}
