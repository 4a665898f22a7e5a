import { randomBytes } from "node:crypto";

const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** A ULID (github.com/ulid/spec) of this time, in ms: what an id looks like that nobody has given out. */
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
