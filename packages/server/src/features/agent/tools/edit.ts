import { z } from "zod";
import { countsOf } from "./file-change.ts";
import { applyEdit, compareTexts } from "./text-work.ts";
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

export function editTool(scope: ToolScope): AgentTool<z.infer<typeof input>> {
  const { jail, reads } = scope;
  return {
    name: "edit",
    description:
      "Replaces an exact text of a file by another. The text must be there exactly once, or set replaceAll.",
    input,
    title: ({ path }) => `Edit ${fileName(path)}`,
    async run({ path, ...edit }) {
      const resolved = jail.resolve(path);
      const before = await jail.readText(resolved);
      reads.assertUnchanged(resolved, before);
      const after = await applyEdit(scope, { before, ...edit });
      if (after === before) return { text: "Nothing to change: both texts are the same." };
      await jail.writeText(resolved, after);
      reads.markRead(resolved, after);
      const change = await compareTexts(scope, { path: resolved, before, after });
      return {
        text: `Edited ${resolved} (${countsOf(change)}).`,
        title: `Edited ${fileName(resolved)} ${countsOf(change)}`,
        changes: [change],
      };
    },
  };
}
