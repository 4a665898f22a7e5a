import { join } from "node:path";
import type { SiteCopy } from "../features/sites/node-records.ts";
import { AppError } from "../kit/errors.ts";
import { parseJson } from "../kit/json.ts";
import type { Config } from "../platform/config.ts";
import { deriveKeyring } from "../platform/derived-keyring.ts";
import type { InstancePaths } from "../platform/paths.ts";
import {
  decodeKeyring,
  encodeKeyring,
  keyFiles,
  type Keyring,
  loadKeys,
  type Sealed,
  seal,
  type StoredKeyring,
  unseal,
} from "../platform/secrets.ts";

/** The texts of a site's key files, by their names. */
export type KeyTexts = Record<string, string>;

const sealName = (id: string, incarnation: string) => `keys of the site ${id} (${incarnation})`;

/** Seals and opens the keys of sites with a key that all nodes of the installation have. */
export function makeKeySeal({ paths }: Config) {
  let keyring: Promise<Keyring> | null = null;
  const open = async () =>
    deriveKeyring((await loadKeys(paths.keys)).settings, "keys of further sites");
  const keys = () =>
    (keyring ??= open().catch((error: unknown) => {
      // The next call reads the files again.
      keyring = null;
      throw error;
    }));
  return {
    keys,
    async seal(id: string, incarnation: string, texts: KeyTexts): Promise<Sealed> {
      return seal(await keys(), sealName(id, incarnation), JSON.stringify(texts));
    },
    async open(id: string, { incarnation, keys: sealed }: SiteCopy): Promise<KeyTexts> {
      const text = unseal(await keys(), sealName(id, incarnation), sealed);
      return parseJson(text) as KeyTexts;
    },
    /** Encrypts keys with the active key; null for those that this node can't open yet. */
    async reseal({ id, incarnation, keys: sealed }: ResealedSite): Promise<Sealed | null> {
      const ring = await keys();
      // One that another node has, and this one lacks, is newer.
      if (!ring.keys.has(sealed.keyId)) return null;
      const name = sealName(id, incarnation);
      return seal(ring, name, unseal(ring, name, sealed));
    },
  };
}

export type KeySeal = ReturnType<typeof makeKeySeal>;

interface ResealedSite {
  id: string;
  incarnation: string;
  keys: Sealed;
}

/** All keys of two keyrings of a site. Throws `conflict` if one ID is that of two keys. */
function mergeKeyrings(shared: StoredKeyring, own: StoredKeyring, file: string): StoredKeyring {
  for (const [id, key] of own.keys) {
    const other = shared.keys.get(id);
    if (other === undefined || other.equals(key)) continue;
    const message = `The key ${id} in ${file} isn't the key ${id} of the other nodes. Nothing was changed. Keep a copy of this file, and remove it here to get the other nodes' keys.`;
    throw new AppError("conflict", message);
  }
  // A key that only this node has is newer than the shared ones.
  const active = shared.keys.has(own.active) ? shared.active : own.active;
  const { [active]: _, ...retired } = { ...shared.retired, ...own.retired };
  return { active, keys: new Map([...shared.keys, ...own.keys]), retired };
}

/**
 * The keys that all nodes share, with those that only this node's settings.key has: something may be
 * encrypted with them. Throws `conflict` if one ID is that of two keys, `unavailable` for a damaged file.
 */
export function mergeKeys(shared: KeyTexts, own: KeyTexts, paths: InstancePaths): KeyTexts {
  const name = keyFiles.settings;
  const [sharedText, ownText] = [shared[name], own[name]];
  if (sharedText === undefined || ownText === undefined || sharedText === ownText) return shared;
  const file = join(paths.keys, name);
  const known = decodeKeyring(sharedText, name);
  const merged = mergeKeyrings(known, decodeKeyring(ownText, file), file);
  const isKnown = merged.active === known.active && merged.keys.size === known.keys.size;
  return isKnown ? shared : { ...shared, [name]: encodeKeyring(merged) };
}
