import { createCipheriv, createDecipheriv } from "node:crypto";

const algorithm = "aes-256-gcm";
const nonceBytes = 12;
/** How much larger a part is than what it contains, in bytes. */
export const tagBytes = 16;

/** Each backup has a key of its own, so a part's position is a nonce that is used once. */
function nonceOf(position: number): Buffer {
  const nonce = Buffer.alloc(nonceBytes);
  nonce.writeUInt32BE(position, nonceBytes - 4);
  return nonce;
}

/** Encrypts a part of a backup with AES-256-GCM (NIST SP 800-38D). */
export function encryptPart(key: Buffer, position: number, plain: Uint8Array): Buffer {
  const cipher = createCipheriv(algorithm, key, nonceOf(position), { authTagLength: tagBytes });
  return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** Decrypts it. Throws if it was changed, or is another part. */
export function decryptPart(key: Buffer, position: number, bytes: Buffer): Buffer {
  const end = bytes.length - tagBytes;
  const options = { authTagLength: tagBytes };
  const decipher = createDecipheriv(algorithm, key, nonceOf(position), options);
  decipher.setAuthTag(bytes.subarray(end));
  return Buffer.concat([decipher.update(bytes.subarray(0, end)), decipher.final()]);
}
