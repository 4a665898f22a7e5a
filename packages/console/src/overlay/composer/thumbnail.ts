/** The longer side of a thumbnail in px, for high-density screens. */
const side = 112;

/**
 * A thumbnail of a file as a data URL, which the pages' policy allows; null if this browser can't
 * draw it.
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
