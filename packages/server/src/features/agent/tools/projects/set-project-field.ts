import { z } from "zod";
import { recordFields } from "../../records.ts";
import { countsOf } from "../file-change.ts";
import type { AgentTool, ToolScope } from "../tool.ts";

const input = z.object({
  project: z.string().describe("The project's address, such as harbour-map."),
  field: z.enum(recordFields.filter((field) => field !== "gallery")),
  value: z
    .unknown()
    .describe(
      'The whole new value. Texts: a string (body is Markdown). categories, stack: a list of strings. skills: [{"group", "items": []}]. metrics: [{"value", "label", "note"?}]. reelUrl: an Instagram address, or null.',
    ),
});

/** Some models write a list as JSON in a text. */
function parsedList(field: string, value: unknown): unknown {
  const isList = ["categories", "stack", "skills", "metrics"].includes(field);
  if (!isList || typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

export function setProjectFieldTool({ records }: ToolScope): AgentTool<z.infer<typeof input>> {
  return {
    name: "set_project_field",
    description:
      "Sets one field of a project record. Read the field first, and keep what isn't to change.",
    input,
    title: ({ project, field }) => `Change ${field} of ${project}`,
    async run({ project, field, value }) {
      const change = await records.setField(project, field, parsedList(field, value));
      if (change === null) return { text: "Nothing to change: the record has this value already." };
      const title = `Changed ${field} of ${project} ${countsOf(change)}`;
      return { text: `${title}.`, title, changes: [change] };
    },
  };
}
