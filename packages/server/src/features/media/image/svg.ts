import { readFile, stat, writeFile } from "node:fs/promises";
import { maxEdge } from "./decode.ts";
import { ImageError } from "./image-error.ts";
import type { ImageLimits } from "./protocol.ts";
import { openSvg } from "./sharp.ts";

/** The largest drawing that is rendered, in bytes. */
export const maxSvgBytes = 2 * 1024 * 1024;
/** The density in which a drawing has its own size, in pixels an inch, and how often larger it may become. */
const ownDensity = 72;
const maxScale = 4;

function undecodable(message: string, cause?: unknown): ImageError {
  return new ImageError("undecodable", message, { cause });
}

/**
 * Renders a drawing to a PNG of at most `maxEdge` pixels; small ones become larger, so that they are
 * sharp. Nothing in it is run and nothing else is read: not even images beside it. Throws
 * `undecodable` or `too_many_pixels`.
 */
export async function svgToPng(file: string, to: string, limits: ImageLimits): Promise<void> {
  const { size } = await stat(file);
  if (size > maxSvgBytes) throw undecodable("The drawing is larger than 2 MiB. Export it as PNG.");
  const source = await readFile(file);
  if (source.includes("<!ENTITY")) {
    throw undecodable("The drawing defines entities, which aren't supported. Export it as PNG.");
  }
  const header = await openSvg(source, ownDensity)
    .metadata()
    .catch((cause: unknown) => {
      throw undecodable("The drawing can't be read. Export it as PNG.", cause);
    });
  const edge = Math.max(header.width, header.height);
  const scale = Math.min(maxEdge / edge, maxScale);
  const pixels = header.width * header.height * scale ** 2;
  if (!(scale * ownDensity >= 1) || pixels > limits.megapixels * 1_000_000) {
    const message = `The drawing has ${header.width} × ${header.height} pixels, too many to render.`;
    throw new ImageError("too_many_pixels", message);
  }
  const png = await openSvg(source, scale * ownDensity)
    .resize({ width: maxEdge, height: maxEdge, fit: "inside", withoutEnlargement: true })
    .png()
    .toBuffer()
    .catch((cause: unknown) => {
      throw undecodable("The drawing can't be rendered. Export it as PNG.", cause);
    });
  await writeFile(to, png, { flag: "wx", mode: 0o600 });
}
