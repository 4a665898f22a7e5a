import parseRange from "range-parser";

/** Offsets in bytes, both inclusive. */
export interface ByteRange {
  start: number;
  end: number;
}

/**
 * The single range that a Range header requests in a file of `bytes` (RFC 9110, 14.2). Undefined
 * means the whole file, including for malformed headers, other units, and several ranges.
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
