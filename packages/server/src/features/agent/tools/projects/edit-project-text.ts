import { z } from "zod";
import { recordTexts } from "../../records.ts";
import { countsOf } from "../file-change.ts";
import { applyEdit } from "../text-work.ts";
import type { AgentTool, ToolScope } from "../tool.ts";

const input = z.object({
  project: z.string().describe("The project's address, such as harbour-map."),
  field: z.enum(recordTexts),
  search: z.string().min(1).describe("The exact present text, with its white space."),
  replace: z.string().describe("What takes its place; empty to delete it."),
  replaceAll: z.boolean().default(false),
  confirm: z
    .boolean()
    .default(false)
    .describe(
      "Only to drop most of a long text, or to write a phrase that was refused, on purpose.",
    ),
});

export function editProjectTextTool(scope: ToolScope): AgentTool<z.infer<typeof input>> {
  return {
    name: "edit_project_text",
    description:
      "Replaces an exact passage in a text of a project record. The passage must be there exactly once, or set replaceAll.",
    input,
    title: ({ project, field }) => `Edit ${field} of ${project}`,
    async run({ project, field, ...edit }) {
      const before = String((await scope.records.read(project))[field]);
      const after = await applyEdit(scope, { before, ...edit });
      const change = await scope.records.setField(project, field, after);
      if (change === null) return { text: "Nothing to change: both texts are the same." };
      const title = `Edited ${field} of ${project} ${countsOf(change)}`;
      return { text: `${title}.`, title, changes: [change] };
    },
  };
}
