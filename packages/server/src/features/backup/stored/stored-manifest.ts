import { randomBytes } from "node:crypto";
import { z } from "zod";
import { AppError } from "../../../kit/errors.ts";
import { parseJson } from "../../../kit/json.ts";
import { type Keyring, seal, unseal } from "../../../platform/secrets.ts";
import { damagedBackupError } from "../manifest.ts";

/** The format that this program writes and the newest one that it reads. */
const storedFormat = 1;

const namePattern = /^\d{4}-\d{2}-\d{2}T\d{6}Z-[0-9a-f]{8}$/;
/** Below it, there are only manifests, so that what is complete can be listed. */
export const manifestPrefix = "backups/";
/** How many bytes of the archive a part has, and how many parts a backup: 320 GB in all. */
export const partBytes = 16 * 2 ** 20;
const maxParts = 20_000;
/** The size of a manifest with that many parts. */
export const maxManifestBytes = 8 * 2 ** 20;

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const size = z.number().int().nonnegative();

const partSchema = z.strictObject({
  key: z.string().max(200),
  /** Of the object, which is encrypted. */
  bytes: size,
  sha256: hash,
});

const contentSchema = z.strictObject({
  /** Encrypts the parts: 32 bytes as base64url. */
  key: z.string().regex(/^[\w-]{43}$/),
  /** The size of the archive. */
  bytes: size,
  parts: z.array(partSchema).min(1).max(maxParts),
});

const headSchema = z.strictObject({
  vitrine: z.literal("stored-backup"),
  format: z.literal(storedFormat),
  name: z.string().regex(namePattern),
  /** The version of the program that wrote it. */
  version: z.string().max(100),
  /** The size of the archive. */
  bytes: size,
  /** What it consists of, encrypted with a key of settings.key. */
  keyId: z.string().max(16),
  ciphertext: z.string().regex(/^[\w-]+$/),
});

export type StoredPart = z.infer<typeof partSchema>;
/** What a backup in the object store consists of. */
export type StoredContent = z.infer<typeof contentSchema>;
/** A backup in the object store, as everybody who can read the bucket sees it. */
export type StoredHead = z.infer<typeof headSchema>;

/** A name for a backup, which sorts by time and is never given again. */
export function newBackupName(createdAt: string): string {
  const at = createdAt.replace(/\.\d+Z$/, "Z").replaceAll(":", "");
  return `${at}-${randomBytes(4).toString("hex")}`;
}

export function isBackupName(name: string): boolean {
  return namePattern.test(name);
}

/** When a backup was created, as its name says. */
export function timeOfName(name: string): string {
  return name.replace(/^(.{13})(..)(..)Z.*$/, "$1:$2:$3Z");
}

export function manifestKey(name: string): string {
  return `${manifestPrefix}${name}.json`;
}

/** What the keys of a backup's parts begin with. */
export function partPrefix(name: string): string {
  return `backup-parts/${name}/`;
}

/** Throws `too_large` for an archive with more parts than a manifest can have. */
export function assertPartCount(count: number): void {
  if (count <= maxParts) return;
  const message = "The instance is too large for a backup in the object store. Back up to a file.";
  throw new AppError("too_large", message);
}

const sealContext = (name: string) => `stored backup ${name}`;

/** The text of a manifest. */
export function writeManifest(
  keyring: Keyring,
  { name, version }: Pick<StoredHead, "name" | "version">,
  content: StoredContent,
): string {
  const { keyId, ciphertext } = seal(keyring, sealContext(name), JSON.stringify(content));
  const { bytes } = content;
  const about = { vitrine: "stored-backup", format: storedFormat, name, version, bytes } as const;
  const head: StoredHead = { ...about, keyId, ciphertext };
  return JSON.stringify(head);
}

/** Reads what isn't encrypted of a manifest. Throws `validation_failed`, `unavailable` for a newer format. */
export function readStoredHead(text: string, name: string): StoredHead {
  const known = z.object({ vitrine: z.literal("stored-backup"), format: z.number() });
  let head: StoredHead;
  try {
    const json = parseJson(text);
    if (known.parse(json).format > storedFormat) {
      const message = `The backup ${name} has a newer format. Update Vitrine.`;
      throw new AppError("unavailable", message);
    }
    head = headSchema.parse(json);
  } catch (cause) {
    if (cause instanceof AppError && cause.code === "unavailable") throw cause;
    throw damagedBackupError("its manifest can't be read", cause);
  }
  if (head.name !== name) throw damagedBackupError("its manifest is that of another one");
  return head;
}

/** Decrypts what a backup consists of. Throws `unavailable` without its key, `validation_failed`. */
export function openManifest(keyring: Keyring, head: StoredHead): StoredContent {
  const { name, keyId } = head;
  if (!keyring.keys.has(keyId)) {
    const message = `The backup ${name} is encrypted with key ${keyId}, which isn't in settings.key. Use the keys of the instance that made it.`;
    throw new AppError("unavailable", message);
  }
  let content: StoredContent;
  try {
    content = contentSchema.parse(parseJson(unseal(keyring, sealContext(name), head)));
  } catch (cause) {
    const message = `The backup ${name} can't be decrypted: settings.key is that of another instance, or the backup was changed. Nothing was restored.`;
    throw new AppError("validation_failed", message, { cause });
  }
  const isOwn = content.parts.every(({ key }) => key.startsWith(partPrefix(name)));
  if (!isOwn) throw damagedBackupError("its parts aren't its own");
  return content;
}
