import { createHash, randomBytes } from "node:crypto";

/** SHA-256 in lower-case hex. */
export function sha256Hex(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}

/** Random bytes as base64url. */
export function randomToken(bytes: number): string {
  return randomBytes(bytes).toString("base64url");
}
