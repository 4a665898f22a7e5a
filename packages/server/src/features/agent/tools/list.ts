import { z } from "zod";
import { type AgentTool, fileName, type ToolScope } from "./tool.ts";

const input = z.object({
  path: z.string().describe("Folder, such as app/src/pages. Empty for the top.").default(""),
});

const maxEntries = 500;

export function listTool({ jail }: ToolScope): AgentTool<z.infer<typeof input>> {
  return {
    name: "list",
    description: "Lists the files and folders of a folder of the workspace.",
    input,
    title: ({ path }) => `Listed ${path === "" ? "the top folder" : fileName(path)}`,
    async run({ path }) {
      const entries = await jail.list(path);
      const lines = entries
        .slice(0, maxEntries)
        .map((e) => (e.kind === "folder" ? `${e.path}/` : e.path));
      if (entries.length > maxEntries) lines.push(`… and ${entries.length - maxEntries} more`);
      return { text: lines.join("\n") || "(empty)" };
    },
  };
}
