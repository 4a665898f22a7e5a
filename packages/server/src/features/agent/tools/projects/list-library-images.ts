import { z } from "zod";
import type { AgentTool, ToolScope } from "../tool.ts";

const input = z.object({
  search: z.string().default("").describe("Words of a file's name or alt text."),
});

export function listLibraryImagesTool({ records }: ToolScope): AgentTool<z.infer<typeof input>> {
  return {
    name: "list_library_images",
    description:
      "Lists images and videos of the library that a gallery or a text may show, newest first.",
    input,
    title: () => "List images of the library",
    async run({ search }) {
      const images = await records.listImages(search);
      const lines = images.map(
        ({ src, name, alt, width, height, kind }) =>
          `${src} · ${kind} · ${width} × ${height} · ${name} · ${alt === "" ? "no alt text" : alt}`,
      );
      return { text: lines.length === 0 ? "There are none." : lines.join("\n") };
    },
  };
}
