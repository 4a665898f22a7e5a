import { hkdfSync } from "node:crypto";
import type { Keyring } from "./secrets.ts";

const keyBytes = 32;

/**
 * A keyring for one purpose: its keys are derived (HKDF with SHA-256, RFC 5869) from those of another one
 * and have their IDs, so that what is encrypted for one purpose is useless for others.
 */
export function deriveKeyring(keyring: Keyring, purpose: string): Keyring {
  const derive = (key: Buffer) =>
    Buffer.from(hkdfSync("sha256", key, Buffer.alloc(0), purpose, keyBytes));
  return {
    get active() {
      return keyring.active;
    },
    get keys() {
      return new Map([...keyring.keys].map(([id, key]) => [id, derive(key)]));
    },
    reload: () => keyring.reload?.(),
  };
}
