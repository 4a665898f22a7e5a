import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { AgentPicture } from "../../agent/agent.ts";
import { fileOfReference } from "../../media/reference/reference-file.ts";
import { findReference } from "../../media/reference/store.ts";
import { findMedia, type Media } from "../../media/store.ts";
import type { Attachment } from "../schema.ts";
import { AppError } from "../../../kit/errors.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { ifThere } from "../../../platform/files.ts";
import type { InstancePaths } from "../../../platform/paths.ts";

type Paths = Pick<InstancePaths, "content" | "references">;

/** Wider than this, in pixels, a picture tells a model nothing more and costs more tokens. */
const wideEnough = 1200;

function missing(what: string): AppError {
  return new AppError("validation_failed", `${what} is not kept any more.`, {
    fields: { attachments: `${what} is not kept any more` },
  });
}

/** The stored file that shows an item best for its weight: of a film its poster. */
function shownFile(media: Media): string {
  const variant = media.variants.findLast(({ width }) => width <= wideEnough);
  if (media.poster !== null) return media.poster;
  return media.width > wideEnough && variant && !media.animated ? variant.src : media.src;
}

function typeOf(src: string): string {
  if (src.endsWith(".webp")) return "image/webp";
  return src.endsWith(".png") ? "image/png" : "image/jpeg";
}

async function bytesOf(file: string, what: string): Promise<Uint8Array> {
  const bytes = await ifThere(readFile(file));
  if (bytes === undefined) throw missing(what);
  return bytes;
}

/** A stored item as agents see it. */
export function pictureOfMedia(paths: Paths, media: Media): AgentPicture {
  const src = shownFile(media);
  return {
    use: "page",
    src: media.src,
    name: media.originalName,
    alt: media.alt,
    width: media.width,
    height: media.height,
    mediaType: typeOf(src),
    bytes: () => bytesOf(join(paths.content, "app/public", src), media.originalName),
  };
}

/** The picture that goes along with words. Throws `validation_failed` naming one that isn't there. */
export async function pictureOf(
  { db, paths }: { db: Db; paths: Paths },
  attachment: Attachment,
): Promise<AgentPicture> {
  if (attachment.use === "page") {
    const media = await findMedia(db, attachment.mediaId);
    if (!media) throw missing(`The picture ${attachment.mediaId}`);
    return pictureOfMedia(paths, media);
  }
  const row = await findReference(db, attachment.referenceId);
  if (!row) throw missing("The reference picture");
  const { name, width, height, mime } = row;
  const bytes = () => bytesOf(fileOfReference(paths, row), name);
  return { use: "reference", src: null, name, alt: "", width, height, mediaType: mime, bytes };
}
