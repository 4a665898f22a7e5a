import { z } from "zod";
import type { AgentTool, ToolScope } from "../tool.ts";

const input = z.object({});

export function listProjectsTool({ records }: ToolScope): AgentTool<z.infer<typeof input>> {
  return {
    name: "list_projects",
    description:
      "Lists the project records: address, name, status and summary. Drafts and projects that are not for everyone are listed only where the owner names them.",
    input,
    title: () => "List the projects",
    async run() {
      const projects = await records.list();
      const lines = projects.map(
        ({ slug, name, status, audience, summary, isReadOnly }) =>
          `${slug} · ${name} · ${status}, for ${audience}${isReadOnly ? ", read-only" : ""} · ${summary}`,
      );
      return { text: lines.length === 0 ? "There are no projects." : lines.join("\n") };
    },
  };
}
