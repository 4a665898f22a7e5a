import { z } from "zod";
import { compareTexts } from "./text-work.ts";
import { type AgentTool, fileName, type ToolScope } from "./tool.ts";

const input = z.object({ from: z.string(), to: z.string() });

export function moveTool(scope: ToolScope): AgentTool<z.infer<typeof input>> {
  const { jail, reads } = scope;
  return {
    name: "move",
    description: "Moves or renames a text file to a path where no file is.",
    input,
    title: ({ from, to }) => `Move ${fileName(from)} to ${fileName(to)}`,
    async run({ from, to }) {
      const [source, target] = [jail.resolve(from), jail.resolve(to)];
      const text = await jail.readText(source);
      reads.assertUnchanged(source, text);
      await jail.move(source, target);
      reads.forget(source);
      reads.markRead(target, text);
      return {
        text: `Moved ${source} to ${target}.`,
        title: `Moved ${fileName(source)} to ${fileName(target)}`,
        changes: [
          await compareTexts(scope, { path: source, before: text, after: null }),
          await compareTexts(scope, { path: target, before: null, after: text }),
        ],
      };
    },
  };
}
