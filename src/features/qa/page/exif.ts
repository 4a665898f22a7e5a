/** Tags of the GPS part that name a place or its moment (Exif 2.32, 4.6.6). */
const placeTags: Readonly<Record<number, string>> = {
  2: "GPSLatitude",
  4: "GPSLongitude",
  6: "GPSAltitude",
  7: "GPSTimeStamp",
  27: "GPSProcessingMethod",
  28: "GPSAreaInformation",
  29: "GPSDateStamp",
};

/** No more of a file than this is searched: cameras write the place at its beginning. */
const mostBytes = 512 * 1024;

/** Where the TIFF part of an Exif block begins; -1 where there is none. */
function tiffAt(bytes: Buffer): number {
  const head = bytes.subarray(0, mostBytes);
  // A JPEG's APP1 segment; AVIF and HEIC have the same mark before theirs.
  const marked = head.indexOf("Exif\0\0", 0, "latin1");
  if (marked >= 0) return marked + 6;
  const isPng = bytes.subarray(1, 4).toString("latin1") === "PNG";
  const isWebp = bytes.subarray(8, 12).toString("latin1") === "WEBP";
  if (!isPng && !isWebp) return -1;
  // A WebP has its Exif behind the picture.
  const chunk = isPng
    ? head.indexOf("eXIf", 8, "latin1")
    : bytes.lastIndexOf("EXIF", undefined, "latin1");
  return chunk < 0 ? -1 : chunk + (isPng ? 4 : 8);
}

/**
 * The names of the tags in a picture that tell where it was taken; empty when its latitude or
 * longitude is not in it. Never the place itself.
 */
export function gpsTagsIn(bytes: Buffer): string[] {
  const start = tiffAt(bytes);
  if (start < 0 || start + 8 > bytes.length) return [];
  const order = bytes.toString("latin1", start, start + 2);
  if (order !== "II" && order !== "MM") return [];
  const little = order === "II";
  const has = (at: number, length: number) => at >= start && at + length <= bytes.length;
  const short = (at: number) => (little ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at));
  const long = (at: number) => (little ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at));
  const entries = (at: number): { tag: number; value: number }[] => {
    if (!has(at, 2)) return [];
    const count = Math.min(short(at), 200);
    return Array.from({ length: count }, (_, index) => at + 2 + index * 12)
      .filter((entry) => has(entry, 12))
      .map((entry) => ({ tag: short(entry), value: long(entry + 8) }));
  };
  const gps = entries(start + long(start + 4)).find(({ tag }) => tag === 0x8825);
  const tags = gps ? entries(start + gps.value).map(({ tag }) => tag) : [];
  if (!tags.includes(2) && !tags.includes(4)) return [];
  return tags.flatMap((tag) => placeTags[tag] ?? []);
}
