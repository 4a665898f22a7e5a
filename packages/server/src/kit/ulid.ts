import { randomBytes } from "node:crypto";

const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** The format of IDs from `newUlid`. */
export const ulidPattern = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/**
 * A ULID: 48 bits of time, then 80 random bits, in Crockford's base 32; sorts by time.
 * Source: github.com/ulid/spec.
 */
export function newUlid(nowMs: number): string {
  let time = "";
  for (let rest = nowMs, i = 0; i < 10; i += 1) {
    time = alphabet.charAt(rest % 32) + time;
    rest = Math.floor(rest / 32);
  }
  let random = "";
  for (const byte of randomBytes(16)) random += alphabet.charAt(byte % 32);
  return time + random;
}
