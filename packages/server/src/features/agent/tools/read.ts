import { z } from "zod";
import { type AgentTool, fileName, type ToolScope } from "./tool.ts";

const input = z.object({
  path: z.string(),
  from: z.number().int().min(1).default(1).describe("First line."),
  lines: z.number().int().min(1).max(2000).default(600).describe("How many lines."),
});

const maxLineLength = 2000;
const maxTextLength = 64 * 1024;

function numbered(lines: readonly string[], first: number): { text: string; shown: number } {
  let text = "";
  let shownLines = 0;
  for (const line of lines) {
    const cut = line.length > maxLineLength ? `${line.slice(0, maxLineLength)}… (line cut)` : line;
    const next = `${first + shownLines}\t${cut}\n`;
    if (text.length + next.length > maxTextLength) break;
    text += next;
    shownLines += 1;
  }
  return { text, shown: shownLines };
}

export function readTool({ jail, reads }: ToolScope): AgentTool<z.infer<typeof input>> {
  return {
    name: "read",
    description:
      "Reads a text file, each line with its number and a tab in front; neither belongs to the file.",
    input,
    title: ({ path }) => `Read ${fileName(path)}`,
    async run({ path, from, lines }) {
      const whole = await jail.readText(path);
      reads.markRead(jail.resolve(path), whole);
      const all = whole.split("\n");
      if (all.at(-1) === "") all.pop();
      if (all.length === 0) return { text: "(the file is empty)" };
      if (from > all.length) return { text: `The file ends at line ${all.length}.` };
      const { text, shown: shownLines } = numbered(all.slice(from - 1, from - 1 + lines), from);
      const last = from - 1 + shownLines;
      const rest = last < all.length ? `(lines ${from}–${last} of ${all.length})\n` : "";
      return { text: text + rest };
    },
  };
}
