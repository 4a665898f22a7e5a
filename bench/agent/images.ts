import { readFile } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import { platformRoot } from "../../packages/server/src/platform/paths.ts";
import type { AgentImage } from "../../packages/server/src/features/agent/agent.ts";

const stored = "2026/0e2290d535f9-field-dots-480.webp";

/** An image in the template's media, as if the owner attached it. */
export const storedImage: AgentImage = {
  use: "page",
  src: `/media/${stored}`,
  name: "field-dots.webp",
  alt: "",
  width: 480,
  height: 270,
  mediaType: "image/webp",
  bytes: () => readFile(join(platformRoot, "packages/template/app/public/media", stored)),
};

/** A plain dark green image. */
export const greenImage: AgentImage = {
  use: "reference",
  src: null,
  name: "green.png",
  alt: "",
  width: 200,
  height: 200,
  mediaType: "image/png",
  bytes: () =>
    sharp({ create: { width: 200, height: 200, channels: 3, background: "#0b6e4f" } })
      .png()
      .toBuffer(),
};
