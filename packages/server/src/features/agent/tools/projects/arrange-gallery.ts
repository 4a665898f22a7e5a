import { z } from "zod";
import { countsOf } from "../file-change.ts";
import type { AgentTool, ToolScope } from "../tool.ts";

const input = z.object({
  project: z.string().describe("The project's address, such as harbour-map."),
  items: z
    .array(
      z.object({
        src: z.string().describe("The address of a stored image or video, /media/…"),
        caption: z.string().optional().describe("Left out: stays as it is."),
        alt: z.string().optional().describe("Alt text. Left out: stays as it is."),
      }),
    )
    .describe("The whole gallery in its new order; the first is the cover."),
});

type Item = { src: string; caption: string; alt?: string };

export function arrangeGalleryTool({ records }: ToolScope): AgentTool<z.infer<typeof input>> {
  return {
    name: "arrange_gallery",
    description:
      "Sets a project's gallery: order, captions, alt texts, and which images of the library are in it. Read the gallery first; what is left out of items leaves the gallery.",
    input,
    title: ({ project }) => `Arrange the gallery of ${project}`,
    async run({ project, items }) {
      const present = (await records.read(project)).gallery as Item[];
      const gallery = items.map(({ src, caption, alt }) => {
        const known = present.find((item) => item.src === src);
        const text = alt ?? known?.alt;
        return {
          src,
          caption: caption ?? known?.caption ?? "",
          ...(text === undefined ? {} : { alt: text }),
        };
      });
      const change = await records.setField(project, "gallery", gallery);
      if (change === null) return { text: "Nothing to change: the gallery is like that already." };
      const title = `Arranged the gallery of ${project} ${countsOf(change)}`;
      return { text: `${title}.`, title, changes: [change] };
    },
  };
}
