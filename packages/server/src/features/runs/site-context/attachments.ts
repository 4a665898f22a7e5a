import { readFile } from "node:fs/promises";
import { AppError } from "../../../kit/errors.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { undefinedIfMissing } from "../../../platform/files.ts";
import type { InstancePaths } from "../../../platform/paths.ts";
import type { AgentImage } from "../../agent/agent.ts";
import type { ImageReader } from "../../design/images.ts";
import { fileOfReference } from "../../media/reference/reference-file.ts";
import { findReference } from "../../media/reference/store.ts";
import { findMedia, type Media } from "../../media/store.ts";
import type { Attachment } from "../schema.ts";

function missingImage(what: string, cause?: unknown): AppError {
  return new AppError("validation_failed", `${what} is no longer stored.`, {
    fields: { attachments: `${what} is no longer stored` },
    cause,
  });
}

async function readBytes(file: string, what: string): Promise<Uint8Array> {
  const bytes = await undefinedIfMissing(readFile(file));
  if (bytes === undefined) throw missingImage(what);
  return bytes;
}

export interface AttachmentDependencies {
  db: Db;
  paths: Pick<InstancePaths, "references">;
  /** Where stored items are read from. */
  images: Pick<ImageReader, "read">;
}

async function openMediaImage(media: Media, images: Pick<ImageReader, "read">) {
  const read = () =>
    images.read(media).catch((error: unknown) => {
      throw missingImage(media.originalName, error);
    });
  const { mediaType } = await read();
  return {
    use: "page" as const,
    src: media.src,
    name: media.originalName,
    alt: media.alt,
    width: media.width,
    height: media.height,
    mediaType,
    bytes: async () => (await read()).bytes,
  };
}

/** The attached image. Throws `validation_failed` if it doesn't exist. */
export async function resolveAttachment(
  { db, paths, images }: AttachmentDependencies,
  attachment: Attachment,
): Promise<AgentImage> {
  if (attachment.use === "page") {
    const media = await findMedia(db, attachment.mediaId);
    if (!media) throw missingImage(`The image ${attachment.mediaId}`);
    return openMediaImage(media, images);
  }
  const row = await findReference(db, attachment.referenceId);
  if (!row) throw missingImage("The reference image");
  const { name, width, height, mime } = row;
  const bytes = () => readBytes(fileOfReference(paths, row), name);
  return { use: "reference", src: null, name, alt: "", width, height, mediaType: mime, bytes };
}
