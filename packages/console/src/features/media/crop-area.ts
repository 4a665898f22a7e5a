import type { MediaItem } from "../../api/types.ts";

export type CropArea = NonNullable<MediaItem["uncropped"]>["crop"];
type Size = Pick<CropArea, "width" | "height">;

/** The smallest area that can be kept, in pixels each way. */
export const minCrop = 16;

const clamp = (value: number, min: number, max: number): number =>
  Math.round(Math.min(Math.max(value, min), Math.max(min, max)));

/** The area at the same place that is within the image. */
function within({ x, y, width, height }: CropArea, image: Size): CropArea {
  const [wide, tall] = [clamp(width, minCrop, image.width), clamp(height, minCrop, image.height)];
  return {
    x: clamp(x, 0, image.width - wide),
    y: clamp(y, 0, image.height - tall),
    width: wide,
    height: tall,
  };
}

/** The area between two points, which may be outside of the image. */
export function areaBetween(
  from: { x: number; y: number },
  to: { x: number; y: number },
  image: Size,
): CropArea {
  const [x1, x2] = [from.x, to.x].map((x) => clamp(x, 0, image.width)).toSorted((a, b) => a - b);
  const [y1, y2] = [from.y, to.y].map((y) => clamp(y, 0, image.height)).toSorted((a, b) => a - b);
  const [left = 0, right = 0, top = 0, bottom = 0] = [x1, x2, y1, y2];
  return within({ x: left, y: top, width: right - left, height: bottom - top }, image);
}

/** The area moved by as many pixels. */
export function moveArea(area: CropArea, by: { x: number; y: number }, image: Size): CropArea {
  return within({ ...area, x: area.x + by.x, y: area.y + by.y }, image);
}

/** The area with its right and bottom edges moved by as many pixels. */
export function resizeArea(area: CropArea, by: { x: number; y: number }, image: Size): CropArea {
  const width = Math.min(area.width + by.x, image.width - area.x);
  const height = Math.min(area.height + by.y, image.height - area.y);
  return within({ ...area, width, height }, image);
}

/** The largest area of a shape, its width divided by its height, in the middle of the image. */
export function largestArea(shape: number, image: Size): CropArea {
  const width = Math.min(image.width, Math.round(image.height * shape));
  const height = Math.min(image.height, Math.round(width / shape));
  const x = Math.floor((image.width - width) / 2);
  const y = Math.floor((image.height - height) / 2);
  return within({ x, y, width, height }, image);
}

/** Whether an area is the whole image. */
export const isWhole = (area: CropArea, image: Size): boolean =>
  area.width === image.width && area.height === image.height;
