/** Whether If-None-Match names this entity tag, by weak comparison (RFC 9110, 13.1.2). */
export function isUnchanged(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === "*") return true;
  return header.split(",").some((candidate) => candidate.trim().replace(/^W\//, "") === etag);
}
