/** Larger files are sent in resumable parts; in bytes. */
export const maxSingleRequestBytes = 8 * 1024 * 1024;

const images = "jpg jpeg jfif png webp gif avif heic heif tif tiff";
const videoTypes = "mp4 m4v mov qt webm mkv avi mpg mpeg ts mts m2ts 3gp 3g2 wmv asf flv ogv";
const imageEndings = new Set(images.split(" "));
const videoExtensions = new Set(videoTypes.split(" "));

/** For a file input; only a hint to the browser's dialog. */
export const acceptedFiles = [
  "image/jpeg,image/png,image/webp,image/gif,image/avif,image/heic,image/heif,image/tiff",
  "video/mp4,video/quicktime,video/webm,video/x-matroska,video/x-msvideo,video/mpeg,video/mp2t",
  "video/3gpp,video/3gpp2,video/x-ms-wmv,video/x-flv,video/ogg",
  ...[...imageEndings, ...videoExtensions].map((ending) => `.${ending}`),
].join(",");

export interface UploadLimits {
  imageMiB: number;
  videoMiB: number;
}

type FileInfo = Pick<File, "name" | "size" | "type">;

const endingOf = (name: string): string => /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? "";

/** Whether a file's name or type says it is a video. The server checks the bytes instead. */
export function isVideo(file: FileInfo): boolean {
  const ending = endingOf(file.name);
  if (videoExtensions.has(ending)) return true;
  return file.type.startsWith("video/") && !imageEndings.has(ending);
}

const advice: readonly [test: RegExp, words: string][] = [
  [
    /^svgz?$|^image\/svg/,
    "SVG files can contain scripts and aren’t accepted. Export the drawing as a large PNG.",
  ],
  [/^pdf$|^application\/pdf/, "A PDF isn’t an image. Export the page as PNG or JPEG."],
  [
    /^(cr2|cr3|nef|nrw|arw|sr2|dng|raf|orf|rw2|pef|srw|3fr|iiq)$/,
    "Camera raw files aren’t accepted. Export the image as JPEG.",
  ],
  [
    /^(psd|ai|sketch|fig|xcf|indd)$/,
    "Design files aren’t accepted. Export the design as PNG or JPEG.",
  ],
  [/^bmp$|^image\/(x-ms-)?bmp/, "BMP files aren’t accepted. Save the image as PNG."],
  [/^jxl$|^image\/jxl/, "JPEG XL files aren’t accepted. Export the image as JPEG or PNG."],
];

/**
 * Why a file can't be uploaded according to its name, size, and type; null if the server has to
 * decide.
 */
export function validateFile(file: FileInfo, limits: UploadLimits): string | null {
  const ending = endingOf(file.name);
  for (const [test, words] of advice) {
    if (test.test(ending) || (file.type !== "" && test.test(file.type))) return words;
  }
  const known = imageEndings.has(ending) || videoExtensions.has(ending);
  const foreign = file.type !== "" && !/^(image|video)\/|octet-stream/.test(file.type);
  if (!known && foreign) return "This file isn’t an image or a video. Choose another.";
  if (file.size === 0) return "This file is empty. Choose another.";
  const video = isVideo(file);
  const mib = video ? limits.videoMiB : limits.imageMiB;
  if (file.size > mib * 1024 * 1024) {
    const kind = video ? "video" : "image";
    return `This ${kind} is larger than the limit of ${mib} MB. Choose a smaller one.`;
  }
  return null;
}
