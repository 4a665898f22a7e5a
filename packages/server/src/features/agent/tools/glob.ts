import { z } from "zod";
import { ToolRefusal } from "./refusal.ts";
import { matchPaths } from "./text-work.ts";
import type { AgentTool, ToolScope } from "./tool.ts";

const input = z.object({
  pattern: z.string().min(1).max(200).describe("Such as app/src/**/*.astro"),
});

const maxMatches = 300;

/** Refuses pattern syntax of other tools that isn't supported. */
function assertPlain(pattern: string): void {
  if (!/[{}()!+@]/.test(pattern)) return;
  throw new ToolRefusal("bad_input", "Use a simpler pattern: *, ** and ? only.");
}

export function globTool(scope: ToolScope): AgentTool<z.infer<typeof input>> {
  return {
    name: "glob",
    description: "Finds files by their path. * stands within a name, ** across folders.",
    input,
    title: ({ pattern }) => `Looked for files like ${pattern}`,
    async run({ pattern }) {
      assertPlain(pattern);
      const found = await matchPaths(scope, { paths: await scope.jail.files(), pattern });
      const lines = found.slice(0, maxMatches);
      if (found.length > maxMatches) lines.push(`… and ${found.length - maxMatches} more`);
      return { text: lines.join("\n") || "No file matches." };
    },
  };
}
