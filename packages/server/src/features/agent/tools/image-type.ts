/** The media type of an image that models accept, by its first bytes; the name isn't used. */
export function imageType(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 12)).toString("latin1");
  if (start.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (start.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (start.startsWith("RIFF") && start.slice(8, 12) === "WEBP") return "image/webp";
  if (/^GIF8[79]a/.test(start)) return "image/gif";
  return undefined;
}
