import { z } from "zod";
import type { AgentTool, ToolScope } from "../tool.ts";

const texts = z.array(z.string()).optional();

const input = z.object({
  name: z.string(),
  summary: z.string().optional(),
  lede: z.string().optional(),
  body: z.string().optional().describe("Markdown."),
  kind: z.string().optional(),
  period: z.string().optional(),
  role: z.string().optional(),
  categories: texts,
  stack: texts,
  skills: z.array(z.object({ group: z.string(), items: z.array(z.string()) })).optional(),
  metrics: z
    .array(z.object({ value: z.string(), label: z.string(), note: z.string().optional() }))
    .optional(),
});

export function createProjectDraftTool({ records }: ToolScope): AgentTool<z.infer<typeof input>> {
  return {
    name: "create_project_draft",
    description:
      "Creates a project record as a draft, which only the owner sees until they publish it. Only where the owner asks for a new project.",
    input,
    title: ({ name }) => `Create the draft ${name}`,
    async run(fields) {
      const given = Object.entries(fields).filter(([, value]) => value !== undefined);
      const { slug, change } = await records.createDraft({
        name: fields.name,
        ...Object.fromEntries(given),
      });
      return {
        text: `Created the draft ${slug}. Its gallery can be arranged with arrange_gallery.`,
        title: `Created the draft ${slug}`,
        changes: [change],
      };
    },
  };
}
