import { z } from "zod";
import { countsOf } from "./file-change.ts";
import { compareTexts } from "./text-work.ts";
import { type AgentTool, fileName, type ToolScope } from "./tool.ts";

const input = z.object({ path: z.string() });

export function deleteTool(scope: ToolScope): AgentTool<z.infer<typeof input>> {
  const { jail, reads } = scope;
  return {
    name: "delete",
    description: "Deletes a text file.",
    input,
    title: ({ path }) => `Delete ${fileName(path)}`,
    async run({ path }) {
      const resolved = jail.resolve(path);
      const text = await jail.readText(resolved);
      reads.assertUnchanged(resolved, text);
      const change = await compareTexts(scope, { path: resolved, before: text, after: null });
      await jail.remove(resolved);
      reads.forget(resolved);
      return {
        text: `Deleted ${resolved}.`,
        title: `Deleted ${fileName(resolved)} ${countsOf(change)}`,
        changes: [change],
      };
    },
  };
}
