/** A video container, by the name of ffmpeg's demuxer, the only one that may read it. */
export type Container = "mov" | "matroska" | "avi" | "mpegts" | "mpeg" | "flv" | "asf" | "ogg";

/** Bytes at the beginning of a file that identify its container. */
export const headBytes = 4096;

const signatures: [Container, offset: number, hex: string][] = [
  ["matroska", 0, "1a45dfa3"],
  ["mpeg", 0, "000001ba"],
  ["flv", 0, "464c5601"],
  ["asf", 0, "3026b2758e66cf11"],
  ["ogg", 0, "4f676753"],
];

/** First boxes of QuickTime and ISO base media files (ISO/IEC 14496-12). */
const boxes = new Set(["ftyp", "moov", "mdat", "free", "skip", "wide", "pnot", "styp"]);
/** Brands of still images and image sequences in the same boxes. */
const imageBrands = new Set(["avif", "avis", "heic", "heix", "hevc", "hevx", "mif1", "msf1"]);

function isMov(head: Buffer): boolean {
  if (!boxes.has(head.toString("latin1", 4, 8))) return false;
  const brand = head.toString("latin1", 8, 12);
  return head.toString("latin1", 4, 8) !== "ftyp" || !imageBrands.has(brand);
}

/** Transport streams have 0x47 every 188 bytes, or every 192 if packets have time stamps. */
function isTransportStream(head: Buffer): boolean {
  for (const length of [188, 192, 204]) {
    for (let start = 0; start < length; start += 1) {
      if ([0, 1, 2, 3, 4].every((n) => head[start + n * length] === 0x47)) return true;
    }
  }
  return false;
}

/**
 * The container according to a file's first bytes (`headBytes`); null for everything else, such as
 * playlists (HLS, DASH, concat), images, and text.
 */
export function containerOf(head: Buffer): Container | null {
  for (const [container, offset, hex] of signatures) {
    if (head.toString("hex", offset, offset + hex.length / 2) === hex) return container;
  }
  if (head.toString("latin1", 0, 4) === "RIFF" && head.toString("latin1", 8, 11) === "AVI") {
    return "avi";
  }
  if (isMov(head)) return "mov";
  return isTransportStream(head) ? "mpegts" : null;
}
