import { AppError } from "../../../kit/errors.ts";
import type { Limits } from "../../../platform/config.ts";
import { isSvg, readHead, requireMedia } from "../media-type.ts";
import type {
  ConvertTask,
  ImageFailure,
  ImageOutput,
  ImageResponse,
  ImageTask,
} from "./protocol.ts";

/** An image to convert. */
export interface ImageJob {
  file: string;
  /** A folder that contains no files with this stem yet. */
  outDir: string;
  /** The beginning of all file names. */
  stem: string;
  /** The type of the main image; by default, it depends on the image. */
  output?: ImageOutput;
  /** The part of a still image that is kept, in its pixels. */
  crop?: ConvertTask["crop"];
  /** Whether a drawing in SVG is rendered; otherwise it is refused. */
  acceptsSvg?: boolean;
  signal?: AbortSignal;
  /** Called when the job leaves the queue. */
  onStart?(): void;
}

export function badMedia(reason: string, message: string): AppError {
  return new AppError("bad_media", message, { details: { reason } });
}

function refusal({ reason, message }: ImageFailure): AppError {
  if (reason === "disk_full") {
    return new AppError(
      "disk_full",
      "The disk is full. Nothing was stored. Free some space and try again.",
    );
  }
  if (reason === "internal") {
    const cause = new Error(message);
    return new AppError(
      "internal",
      "The image couldn't be processed. Export it again, or in another format.",
      { cause },
    );
  }
  return badMedia(reason, message);
}

/** The result of a task. Throws the AppError that its failure is to the sender of the file. */
export function resultOrThrow<T>(response: ImageResponse): T {
  if ("failure" in response) throw refusal(response.failure);
  return response.result as T;
}

/** The input of a job in a worker. */
export function convertTask(
  job: ImageJob,
  format: ConvertTask["format"],
  limits: Limits["media"],
): ImageTask {
  const { file, outDir, stem, output, crop } = job;
  const { megapixels, avifMegapixels, heicMegapixels, frames, animationMegapixels } = limits;
  const bounds = { megapixels, avifMegapixels, heicMegapixels, frames, animationMegapixels };
  const task: ConvertTask = { task: "convert", file, format, outDir, stem, limits: bounds };
  return { ...task, ...(output && { output }), ...(crop && { crop }) };
}

/** The format of a file by its bytes. Throws `unsupported_media_type`, or `bad_media` for a video. */
export async function formatOf({ file, acceptsSvg }: ImageJob): Promise<ConvertTask["format"]> {
  const head = await readHead(file);
  if (acceptsSvg === true && isSvg(head)) return "svg";
  const type = requireMedia(head);
  if (type.kind !== "image") throw badMedia("undecodable", "This is a video, not an image.");
  return type.format;
}
