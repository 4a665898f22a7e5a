import { z } from "zod";
import { countsOf } from "./file-change.ts";
import { checkWrite, compareTexts } from "./text-work.ts";
import { type AgentTool, fileName, type ToolScope } from "./tool.ts";

const input = z.object({
  path: z.string(),
  content: z.string().describe("The whole file."),
  confirm: z
    .boolean()
    .default(false)
    .describe(
      "Only to drop most of a long file, or to write a phrase that was refused, on purpose.",
    ),
});

export function writeTool(scope: ToolScope): AgentTool<z.infer<typeof input>> {
  const { jail, reads } = scope;
  return {
    name: "write",
    description:
      "Makes a new text file, or replaces one as a whole. To change part of a file, use edit.",
    input,
    title: ({ path }) => `Write ${fileName(path)}`,
    async run({ path, content, confirm }) {
      const resolved = jail.resolve(path);
      const before = (await jail.exists(resolved)) ? await jail.readText(resolved) : null;
      if (before === content) return { text: "The file already has exactly this content." };
      if (before !== null) reads.assertUnchanged(resolved, before);
      await checkWrite(scope, { before, content, confirm });
      await jail.writeText(resolved, content);
      reads.markRead(resolved, content);
      const change = await compareTexts(scope, { path: resolved, before, after: content });
      const verb = before === null ? "Created" : "Rewrote";
      return {
        text: `${verb} ${resolved} (${countsOf(change)}).`,
        title: `${verb} ${fileName(resolved)} ${countsOf(change)}`,
        changes: [change],
      };
    },
  };
}
