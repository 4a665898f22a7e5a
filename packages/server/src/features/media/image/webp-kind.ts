import { open } from "node:fs/promises";

/** Chunks that are looked at before the image: color profile, transparency. */
const maxChunks = 16;

/** Whether a file is a WebP without loss: its image is a VP8L chunk (RFC 9649). */
export async function isLosslessWebp(file: string): Promise<boolean> {
  await using handle = await open(file);
  const head = Buffer.alloc(12);
  await handle.read(head, 0, 12, 0);
  if (head.toString("latin1", 8, 12) !== "WEBP") return false;
  for (let at = 12, chunk = 0; chunk < maxChunks; chunk += 1) {
    const { bytesRead } = await handle.read(head, 0, 8, at);
    const id = head.toString("latin1", 0, 4);
    if (bytesRead < 8 || id === "VP8 ") return false;
    if (id === "VP8L") return true;
    const size = head.readUInt32LE(4);
    at += 8 + size + (size & 1);
  }
  return false;
}
