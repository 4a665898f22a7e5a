import { matchesGlob } from "node:path";
import { z } from "zod";
import { ToolRefusal } from "./refusal.ts";
import type { AgentTool, ToolScope } from "./tool.ts";

const input = z.object({
  pattern: z.string().min(1).max(200).describe("Such as app/src/**/*.astro"),
});

const most = 300;

/** A pattern of many stars takes exponential time to refuse a long path. */
function assertCheap(pattern: string): void {
  if ((pattern.match(/\*+/g)?.length ?? 0) > 6 || /[{}()!+@]/.test(pattern)) {
    throw new ToolRefusal(
      "bad_input",
      "Use a simpler pattern: *, ** and ? only, at most six stars.",
    );
  }
}

export function globTool({ jail }: ToolScope): AgentTool<z.infer<typeof input>> {
  return {
    name: "glob",
    description: "Finds files by their path. * stands within a name, ** across folders.",
    input,
    title: ({ pattern }) => `Looked for files like ${pattern}`,
    async run({ pattern }) {
      assertCheap(pattern);
      const files = await jail.files();
      const found = files.filter((file) => matchesGlob(file, pattern));
      const lines = found.slice(0, most);
      if (found.length > most) lines.push(`… and ${found.length - most} more`);
      return { text: lines.join("\n") || "No file matches." };
    },
  };
}
