import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { chmod, link, mkdir, open, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { AppError } from "../kit/errors.ts";
import { exists, fsyncFolder, removeTemporaryFiles, writeFileAtomic } from "./files.ts";

/** Keys that encrypt settings: `active` encrypts new values, older ones decrypt theirs by ID. */
export interface Keyring {
  readonly active: string;
  readonly keys: ReadonlyMap<string, Buffer>;
  /**
   * Reads the keys from their file again, because another process may have changed the active one.
   * Throws `unavailable` and keeps the current ones if the file is missing or damaged.
   */
  reload?(): void;
}

/** An instance's keys, from files with mode 0600. */
export interface Keys {
  /** Proves to the runner that a request comes from this instance: 43 base64url characters. */
  runner: string;
  /** Signs preview addresses: 43 base64url characters. */
  preview: string;
  settings: Keyring;
}

/** An encrypted text with the ID of its key. */
export interface Sealed {
  keyId: string;
  ciphertext: string;
}

export const keyFiles = { runner: "runner.key", preview: "preview.key", settings: "settings.key" };

const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
const keyId = /^[a-z0-9]{1,16}$/;

function newKey(): string {
  return randomBytes(keyBytes).toString("base64url");
}

function newKeyring(): string {
  return JSON.stringify({ active: "k1", keys: { k1: newKey() } });
}

/** Creates a file atomically, readable only by its owner; keeps an existing one. */
async function createSecretFile(path: string, text: string): Promise<boolean> {
  if (await exists(path)) return false;
  const temporary = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  const handle = await open(temporary, "wx", 0o600);
  try {
    await handle.writeFile(`${text}\n`);
    await handle.sync();
    await link(temporary, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  } finally {
    await handle.close();
    await rm(temporary, { force: true });
  }
}

/** Creates missing keys in `dir` (0700) and keeps the others. Returns the new files' names. */
export async function createKeys(dir: string): Promise<string[]> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  await chmod(dir, 0o700);
  const created: string[] = [];
  for (const [file, text] of [
    [keyFiles.runner, newKey()],
    [keyFiles.preview, newKey()],
    [keyFiles.settings, newKeyring()],
  ] as const) {
    if (await createSecretFile(join(dir, file), text)) created.push(file);
  }
  await fsyncFolder(dir);
  return created;
}

function broken(file: string, cause?: unknown): AppError {
  return new AppError(
    "unavailable",
    `The key file ${file} is damaged. Nothing was changed. Restore the file from a backup.`,
    { cause },
  );
}

function missing(path: string, cause: unknown): AppError {
  return new AppError(
    "unavailable",
    `The key file ${path} is missing or can't be read. Restore it from a backup: what it encrypted can't be read without it.`,
    { cause },
  );
}

async function readKeyFile(dir: string, file: string): Promise<string> {
  const path = join(dir, file);
  try {
    return (await readFile(path, "utf8")).trim();
  } catch (cause) {
    throw missing(path, cause);
  }
}

function decodeKey(text: unknown, file: string): Buffer {
  const key = typeof text === "string" ? Buffer.from(text, "base64url") : Buffer.alloc(0);
  if (key.length !== keyBytes) throw broken(file);
  return key;
}

const retiredTimes = z.record(z.string().regex(keyId), z.iso.datetime()).catch({});

/** The keys in a text of settings.key. Throws `unavailable` with the file if it is damaged. */
export function decodeKeyring(text: string, file: string): StoredKeyring {
  let parsed: { active?: unknown; keys?: unknown; retired?: unknown };
  try {
    parsed = JSON.parse(text) as typeof parsed;
  } catch (cause) {
    throw broken(file, cause);
  }
  const { active, keys, retired } = parsed;
  if (typeof active !== "string" || typeof keys !== "object" || keys === null) throw broken(file);
  const entries = Object.entries(keys).map(([id, key]) => {
    if (!keyId.test(id)) throw broken(file);
    return [id, decodeKey(key, file)] as const;
  });
  const ring = new Map(entries);
  if (!ring.has(active)) throw broken(file);
  return { active, keys: ring, retired: retiredTimes.parse(retired) };
}

/** The content of settings.key: its keys, and when unused ones were replaced. */
export interface StoredKeyring extends Keyring {
  /** By key ID: when another one became active, ISO 8601 UTC. */
  retired: Readonly<Record<string, string>>;
}

function readKeyringFile(path: string): StoredKeyring {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    throw missing(path, cause);
  }
  return decodeKeyring(text, path);
}

/** The current keys of settings.key in `dir`. Throws `unavailable`. */
export function readKeyring(dir: string): StoredKeyring {
  return readKeyringFile(join(dir, keyFiles.settings));
}

/** The text of settings.key, without its last newline. */
export function encodeKeyring({ active, keys, retired }: StoredKeyring): string {
  const texts = Object.fromEntries([...keys].map(([id, key]) => [id, key.toString("base64url")]));
  return JSON.stringify({ active, keys: texts, retired });
}

/** Replaces the keys in settings.key atomically. Call only with the lock of the key rotation. */
export async function writeKeyring(dir: string, ring: StoredKeyring): Promise<void> {
  const path = join(dir, keyFiles.settings);
  // What a killed rotation left contains keys, too.
  await removeTemporaryFiles(path);
  await writeFileAtomic(path, `${encodeKeyring(ring)}\n`, { mode: 0o600 });
}

/** A new key with an ID that was never used in this keyring. */
export function nextKey(ring: Keyring): { id: string; key: Buffer } {
  const numbers = [...ring.keys.keys()].map((id) => Number(/^k(\d{1,9})$/.exec(id)?.[1] ?? 0));
  return { id: `k${Math.max(0, ...numbers) + 1}`, key: randomBytes(keyBytes) };
}

/**
 * The keys of a file, which is read again before encrypting and when an unknown key ID is found.
 */
class FileKeyring implements Keyring {
  readonly #path: string;
  #ring: Keyring;

  constructor(path: string) {
    this.#path = path;
    this.#ring = readKeyringFile(path);
  }

  get active(): string {
    return this.#ring.active;
  }

  get keys(): ReadonlyMap<string, Buffer> {
    return this.#ring.keys;
  }

  reload(): void {
    this.#ring = readKeyringFile(this.#path);
  }
}

/** Reads an instance's keys. Throws `unavailable` with the file if one is missing or damaged. */
export async function loadKeys(dir: string): Promise<Keys> {
  const [runner, preview] = await Promise.all(
    [keyFiles.runner, keyFiles.preview].map((file) => readKeyFile(dir, file)),
  );
  decodeKey(runner, join(dir, keyFiles.runner));
  decodeKey(preview, join(dir, keyFiles.preview));
  return {
    runner: runner ?? "",
    preview: preview ?? "",
    settings: new FileKeyring(join(dir, keyFiles.settings)),
  };
}

/** The texts of all key files in `dir`, by their names. Throws `unavailable` if one can't be read. */
export async function readKeyFiles(dir: string): Promise<Record<string, string>> {
  const names = Object.values(keyFiles);
  const texts = await Promise.all(names.map((name) => readKeyFile(dir, name)));
  return Object.fromEntries(names.map((name, at) => [name, texts[at] ?? ""]));
}

/** Throws `unavailable` with the file if one of these texts of key files in `dir` is damaged. */
export function assertKeyFiles(dir: string, texts: Record<string, string>): void {
  const { settings, ...others } = keyFiles;
  decodeKeyring(texts[settings] ?? "", join(dir, settings));
  for (const name of Object.values(others)) decodeKey(texts[name], join(dir, name));
}

/** Makes these the key files in `dir`, each readable only by its owner. */
export async function writeKeyFiles(dir: string, texts: Record<string, string>): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  for (const name of Object.values(keyFiles)) {
    const text = texts[name];
    if (text === undefined) throw broken(name);
    await writeFileAtomic(join(dir, name), `${text}\n`, { mode: 0o600 });
  }
}

/** The key files in `dir` that users other than their owner could read or write. */
export async function insecureKeyFiles(dir: string): Promise<string[]> {
  const loose: string[] = [];
  for (const file of Object.values(keyFiles)) {
    const { mode } = await stat(join(dir, file));
    if ((mode & 0o077) !== 0) loose.push(file);
  }
  return loose;
}

/**
 * Encrypts a text with AES-256-GCM (NIST SP 800-38D) and the active key. `name` is its purpose and
 * is authenticated: under another name, it can't be decrypted. Throws `unavailable` if the
 * keyring's file is missing or damaged.
 */
export function seal(keyring: Keyring, name: string, text: string): Sealed {
  keyring.reload?.();
  const key = keyring.keys.get(keyring.active);
  if (!key) throw new AppError("internal", "The keyring has no active key.");
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv("aes-256-gcm", key, nonce, { authTagLength: tagBytes });
  cipher.setAAD(Buffer.from(name));
  const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  const ciphertext = Buffer.concat([nonce, body, cipher.getAuthTag()]).toString("base64url");
  return { keyId: keyring.active, ciphertext };
}

/**
 * Decrypts a text. Throws `unavailable` if its key is missing or wrong, or the text was altered or
 * moved.
 */
export function unseal(keyring: Keyring, name: string, sealed: Sealed): string {
  if (!keyring.keys.has(sealed.keyId)) keyring.reload?.();
  const key = keyring.keys.get(sealed.keyId);
  if (!key) {
    throw new AppError(
      "unavailable",
      `${name} is encrypted with key ${sealed.keyId}, which isn't in settings.key. Restore the key file or set ${name} again.`,
    );
  }
  const bytes = Buffer.from(sealed.ciphertext, "base64url");
  try {
    const nonce = bytes.subarray(0, nonceBytes);
    const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: tagBytes });
    decipher.setAAD(Buffer.from(name));
    decipher.setAuthTag(bytes.subarray(bytes.length - tagBytes));
    const body = bytes.subarray(nonceBytes, bytes.length - tagBytes);
    return Buffer.concat([decipher.update(body), decipher.final()]).toString("utf8");
  } catch (cause) {
    throw new AppError(
      "unavailable",
      `${name} can't be decrypted: settings.key isn't the key that encrypted it, or the stored value was changed. Restore the key file or set ${name} again.`,
      { cause },
    );
  }
}
