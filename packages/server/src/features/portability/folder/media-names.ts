const images = "jpe?g|jfif|png|webp|gif|tiff?|avif|hei[cf]|svg";
const mediaName = new RegExp(`\\.(?:${images}|mp4|mov|webm|mkv|avi)$`, "i");
const imageName = new RegExp(`\\.(?:${images})$`, "i");

/**
 * Whether a name, or an address without a query, belongs to an image or video that can be stored.
 */
export function isMediaName(path: string): boolean {
  return mediaName.test(path);
}

/** The same for images only. */
export function isImageName(path: string): boolean {
  return imageName.test(path);
}

/** Whether a name belongs to an SVG drawing, which an import renders. */
export function isSvgName(path: string): boolean {
  return /\.svg$/i.test(path);
}
