import { z } from "zod";
import type { Jail } from "./jail.ts";
import { ToolRefusal } from "./refusal.ts";
import { grepLines } from "./text-work.ts";
import type { AgentTool, ToolScope } from "./tool.ts";

const input = z.object({
  text: z.string().min(1).max(400).describe("The exact text to find; not a regular expression."),
  path: z.string().default("").describe("Only below this folder. Empty for everywhere."),
  ignoreCase: z.boolean().default(false),
});

const maxMatches = 100;
const searched = /\.(astro|mdx?|css|js|ts|json|svg|txt|html|xml|webmanifest|csv|vtt)$/i;

/** The text of a file; "" if it isn't text. */
function textOf(jail: Jail, file: string): Promise<string> {
  return jail.readText(file).catch((error: unknown) => {
    if (error instanceof ToolRefusal) return "";
    throw error;
  });
}

/**
 * Searches for plain text, not regular expressions: a pattern from a model could block the process
 * for minutes.
 */
export function grepTool(scope: ToolScope): AgentTool<z.infer<typeof input>> {
  const { jail } = scope;
  return {
    name: "grep",
    description: "Finds the lines that contain a text, as path:line: text.",
    input,
    title: ({ text }) => `Searched for “${text.length > 40 ? `${text.slice(0, 40)}…` : text}”`,
    async run({ text, path, ignoreCase }) {
      const hits: string[] = [];
      for (const file of await jail.files(path)) {
        scope.signal.throwIfAborted();
        if (hits.length > maxMatches) break;
        if (!searched.test(file)) continue;
        const max = maxMatches + 1 - hits.length;
        const query = { text: await textOf(jail, file), wanted: text, ignoreCase, max };
        const found = await grepLines(scope, query);
        hits.push(...found.map(([number, line]) => `${file}:${number}: ${line}`));
      }
      const lines = hits.slice(0, maxMatches);
      if (hits.length > maxMatches) lines.push("… more lines match; narrow the search");
      return { text: lines.join("\n") || "No line matches." };
    },
  };
}
