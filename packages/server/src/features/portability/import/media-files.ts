import { createHash } from "node:crypto";
import { mapConcurrently } from "../../../kit/concurrency.ts";
import { AppError } from "../../../kit/errors.ts";
import { isSvg, requireMedia, sniffLength } from "../../media/media-type.ts";
import { assertSize, type SizeLimits } from "../../media/media-size.ts";
import { type Folder, openFile } from "../folder/folder.ts";
import { isSvgName } from "../folder/media-names.ts";

/** An image or video of the folder that can be imported. */
export interface SourceMediaFile {
  path: string;
  bytes: number;
  /** 64 hex digits. */
  sha256: string;
  kind: "image" | "video";
}

export interface MediaRules extends SizeLimits {
  /** Why no video can be imported now; null if one can. */
  videoUnavailableReason(): string | null;
}

/** Far above any real portfolio. */
export const maxMediaFiles = 5000;

async function inspectMediaFile(
  folder: Folder,
  path: string,
  rules: MediaRules & { acceptsSvg: boolean },
): Promise<SourceMediaFile> {
  const handle = await openFile(folder, path);
  try {
    const { size: bytes } = await handle.stat();
    const head = Buffer.alloc(sniffLength);
    const { bytesRead } = await handle.read(head, 0, sniffLength, 0);
    const start = head.subarray(0, bytesRead);
    const isDrawing = rules.acceptsSvg && isSvgName(path) && isSvg(start);
    const kind = isDrawing ? "image" : requireMedia(start).kind;
    assertSize(rules, kind, bytes);
    const noVideos = kind === "video" ? rules.videoUnavailableReason() : null;
    if (noVideos !== null) throw new AppError("unavailable", noVideos);
    const hash = createHash("sha256");
    for await (const chunk of handle.createReadStream({ start: 0, autoClose: false })) {
      hash.update(chunk as Buffer);
    }
    return { path, bytes, sha256: hash.digest("hex"), kind };
  } finally {
    await handle.close();
  }
}

/**
 * Inspects images by their bytes, as for an upload before it is decoded; files that can't be
 * imported are reported. A drawing can be an image of a study, but not a `portrait`.
 */
export async function inspectMediaFiles(
  folder: Folder,
  paths: readonly string[],
  rules: MediaRules,
  portrait: string | null = null,
): Promise<{ images: Map<string, SourceMediaFile>; unusable: Map<string, string> }> {
  const unusable = new Map<string, string>();
  if (paths.length > maxMediaFiles) {
    const message = `The case studies use ${paths.length} images. At most ${maxMediaFiles} can be imported at once. Choose fewer case studies.`;
    throw new AppError("too_large", message);
  }
  const found = await mapConcurrently(paths, 4, async (path) => {
    try {
      return await inspectMediaFile(folder, path, { ...rules, acceptsSvg: path !== portrait });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      unusable.set(path, error.message);
      return null;
    }
  });
  const sound = found.filter((each) => each !== null);
  return { images: new Map(sound.map((each) => [each.path, each])), unusable };
}
