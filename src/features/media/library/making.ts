import { join } from "node:path";
import type { Limits } from "../../../platform/config.ts";
import type { FilmMaker } from "../film/film.ts";
import type { ImageWorkers } from "../image/workers.ts";
import type { JobFolder } from "./files.ts";
import { assertSize } from "../media-size.ts";
import { readHead, requireMedia } from "../media-type.ts";
import type { MadeMedia } from "../store.ts";

export interface Progress {
  status: "waiting" | "working";
  /** From 0 to 1; null where nobody knows. */
  fraction: number | null;
}

export interface Making {
  job: JobFolder;
  /** Of the received file. */
  bytes: number;
  /** What the names of the files begin with. */
  stem: string;
  /** Four digits: the folder that the files go to. */
  year: string;
  /** What the main picture was, for an item that is made again under the same address. */
  mime: string | undefined;
  signal: AbortSignal;
  onProgress(progress: Progress): void;
}

export interface Made {
  media: MadeMedia;
  warnings: string[];
}

export interface Makers {
  limits: Limits["media"];
  images: ImageWorkers;
  films: FilmMaker;
}

async function makeImage(images: ImageWorkers, making: Making): Promise<Made> {
  const { job, stem, year, mime, signal, onProgress } = making;
  const result = await images.convert({
    file: job.original,
    outDir: job.out,
    stem,
    signal,
    onStart: () => onProgress({ status: "working", fraction: null }),
    ...(mime === "image/webp" ? { output: "webp" } : {}),
    ...(mime === "image/jpeg" ? { output: "jpeg" } : {}),
  });
  const { file, variants, warnings, frames: _frames, ...same } = result;
  const media: MadeMedia = {
    ...same,
    kind: "image",
    src: `/media/${year}/${file}`,
    duration: null,
    poster: null,
    variants: variants.map((variant) => ({
      src: `/media/${year}/${variant.file}`,
      width: variant.width,
      bytes: variant.bytes,
    })),
  };
  return { media, warnings };
}

async function makeFilm({ films, images }: Makers, making: Making): Promise<Made> {
  const { job, stem, year, signal, onProgress } = making;
  const result = await films.convert({
    file: job.original,
    outDir: job.out,
    stem,
    signal,
    onProgress: (fraction) => onProgress({ status: "working", fraction }),
  });
  const { file, poster, ...same } = result;
  const placeholder = await images.placeholder({ file: join(job.out, poster), signal });
  const media: MadeMedia = {
    ...same,
    kind: "video",
    src: `/media/${year}/${file}`,
    hasAlpha: false,
    animated: false,
    poster: `/media/${year}/${poster}`,
    placeholder,
    variants: [],
  };
  return { media, warnings: [] };
}

/**
 * Makes of a received file what is stored, in the job's folder, by what its bytes say it is. Throws
 * `unsupported_media_type`, `too_large`, `bad_media` or `unavailable`.
 */
export async function makeMedia(makers: Makers, making: Making): Promise<Made> {
  const { limits, images } = makers;
  const { kind } = requireMedia(await readHead(making.job.original));
  assertSize(limits, kind, making.bytes);
  making.onProgress({ status: "waiting", fraction: null });
  return kind === "image" ? makeImage(images, making) : makeFilm(makers, making);
}
