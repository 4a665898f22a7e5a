import parseRange from "range-parser";

/** Offsets in bytes, both included. */
export interface ByteRange {
  start: number;
  end: number;
}

/**
 * The one range that a Range header asks for in a file of `bytes` (RFC 9110, 14.2). Undefined stands
 * for the whole file, which also answers what is malformed, in another unit or more than one range.
 */
export function requestedRange(
  header: string | undefined,
  bytes: number,
): ByteRange | "unsatisfiable" | undefined {
  const ranges = header === undefined ? undefined : parseRange(bytes, header);
  if (ranges === -1) return "unsatisfiable";
  if (!Array.isArray(ranges) || ranges.type !== "bytes" || ranges.length !== 1) return undefined;
  return ranges[0];
}
