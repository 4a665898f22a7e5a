import { z } from "zod";
import { parseJson } from "../../../kit/json.ts";
import type { ImageFormat } from "../media-type.ts";

/** Limits checked before an image is decoded. */
export interface ImageLimits {
  megapixels: number;
  avifMegapixels: number;
  heicMegapixels: number;
  frames: number;
  /** Of all frames of an animation together. */
  animationMegapixels: number;
}

export type ImageOutput = "jpeg" | "webp";

/** A file to convert: the results are written to `outDir` as `<stem>.jpg`, `<stem>-480.webp`… */
export interface ConvertTask {
  task: "convert";
  file: string;
  /** A drawing is rendered before all else. */
  format: ImageFormat | "svg";
  outDir: string;
  stem: string;
  limits: ImageLimits;
  /**
   * The format of the main image, for an item that is converted again; otherwise it depends on the
   * image.
   */
  output?: ImageOutput;
  /** The part of a still image that is kept, in its pixels. */
  crop?: { x: number; y: number; width: number; height: number };
}

/** A JPEG that Vitrine has made (a video's poster) and that needs a placeholder. */
export interface PlaceholderTask {
  task: "placeholder";
  file: string;
}

/** A stored image that gets AVIF variants, written to `outDir` as `<stem>-480.avif`…  */
export interface AvifTask {
  task: "avif";
  file: string;
  outDir: string;
  stem: string;
  /** The files that visitors get so far, smallest first; sizes in pixels and bytes. */
  present: { width: number; bytes: number }[];
}

export type ImageTask = ConvertTask | PlaceholderTask | AvifTask;

const pixels = z.number().int().positive().max(65_535);
const variantList = z
  .array(z.strictObject({ file: z.string(), width: pixels, bytes: z.number().int().positive() }))
  .max(10);
/** A data URL, which pages contain as it is. */
const placeholder = z.string().regex(/^data:image\/webp;base64,[\w+/]{1,2000}={0,2}$/);
const message = z.string().max(1000);

const imageResult = z.strictObject({
  file: z.string(),
  mime: z.enum(["image/jpeg", "image/webp"]),
  bytes: z.number().int().positive(),
  width: pixels,
  height: pixels,
  /** Whether any pixel is transparent. */
  hasAlpha: z.boolean(),
  animated: z.boolean(),
  /** 1 unless animated. */
  frames: z.number().int().positive(),
  /** Data URL of a tiny WebP; null for a transparent image. */
  placeholder: placeholder.nullable(),
  /** WebP, smallest first, all narrower than the main image. */
  variants: variantList,
  /** Problems with the file that didn't prevent decoding. */
  warnings: z.array(message).max(10),
});

/** A converted image; names are relative to `outDir`, sizes in pixels and bytes. */
export type ImageResult = z.infer<typeof imageResult>;

const faults = ["corrupt", "too_many_pixels", "animation_too_large", "undecodable"] as const;
export type ImageFault = (typeof faults)[number];

const imageFailure = z.strictObject({
  reason: z.enum([...faults, "disk_full", "internal"]),
  message,
});

/** Why a file was refused; `disk_full` and `internal` aren't the file's fault. */
export type ImageFailure = z.infer<typeof imageFailure>;

const rss = z.number().nonnegative();
const responses = {
  convert: z.strictObject({ rss, result: imageResult }),
  placeholder: z.strictObject({ rss, result: placeholder }),
  avif: z.strictObject({ rss, result: variantList }),
};
const failureResponse = z.strictObject({ rss, failure: imageFailure });

/** Memory of the worker in bytes, and the result of a task of this kind, or why there is none. */
export type ImageResponse<Kind extends ImageTask["task"] = ImageTask["task"]> =
  | z.infer<(typeof responses)[Kind]>
  | z.infer<typeof failureResponse>;

/**
 * Reads what a worker has answered, which a file may have taken over: names of files begin with the
 * stem and say nothing of folders. Throws an Error for anything else than a response to this task.
 */
export function readResponse(task: ImageTask, line: string): ImageResponse {
  const value = parseJson(line);
  const failed = failureResponse.safeParse(value);
  if (failed.success) return failed.data;
  const response = responses[task.task].parse(value);
  if (task.task === "placeholder") return response;
  for (const name of filesOfResponse(response)) {
    const rest = name.startsWith(task.stem) ? name.slice(task.stem.length) : "";
    if (!/^(-\d+)?\.(jpg|webp|avif)$/.test(rest)) throw new Error(`${name} isn't a result`);
  }
  return response;
}

/** The names of all files that a response is about. */
export function filesOfResponse(response: ImageResponse): string[] {
  if ("failure" in response || typeof response.result === "string") return [];
  if (Array.isArray(response.result)) return response.result.map(({ file }) => file);
  return [response.result.file, ...response.result.variants.map(({ file }) => file)];
}
