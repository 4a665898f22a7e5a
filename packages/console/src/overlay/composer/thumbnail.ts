/** The longer side of a thumbnail in px, for dense screens. */
const side = 112;

/**
 * A small picture of a file as a data address, which the pages' policy lets a console show; null
 * for what this browser can't draw.
 */
export async function createThumbnail(file: Blob): Promise<string | null> {
  try {
    const bitmap = await createImageBitmap(file);
    const scale = Math.min(1, side / Math.max(bitmap.width, bitmap.height));
    const canvas = document.createElement("canvas");
    canvas.width = Math.max(1, Math.round(bitmap.width * scale));
    canvas.height = Math.max(1, Math.round(bitmap.height * scale));
    canvas.getContext("2d")?.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
    bitmap.close();
    return canvas.toDataURL("image/webp", 0.7);
  } catch {
    return null;
  }
}
