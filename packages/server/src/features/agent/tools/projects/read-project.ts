import { z } from "zod";
import { recordFields } from "../../records.ts";
import { elideText } from "./elide-text.ts";
import type { AgentTool, ToolScope } from "../tool.ts";

const input = z.object({
  project: z.string().describe("The project's address, such as harbour-map."),
  field: z.enum(recordFields).optional().describe("Only this field; all of them by default."),
});

export function readProjectTool({ records }: ToolScope): AgentTool<z.infer<typeof input>> {
  return {
    name: "read_project",
    description: "Reads a project record, with the changes of this run in it.",
    input,
    title: ({ project }) => `Read the project ${project}`,
    async run({ project, field }) {
      const record = await records.read(project);
      if (field === undefined) return { text: elideText(JSON.stringify(record, null, 1)) };
      const value = record[field];
      return {
        text: elideText(typeof value === "string" ? value : JSON.stringify(value, null, 1)),
      };
    },
  };
}
