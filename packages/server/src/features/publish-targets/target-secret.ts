import { z } from "zod";
import { type Keyring, seal, type Sealed, unseal } from "../../platform/secrets.ts";
import { targetSealContext } from "../settings/keys/sealed-store.ts";
import { parseGitAddress, type TargetSettings } from "./schema.ts";

/** Whether Vitrine makes the key for these settings itself, because it connects by SSH. */
export function usesSsh(settings: TargetSettings): boolean {
  if (settings.kind === "rsync") return true;
  return settings.kind === "git" && parseGitAddress(settings.url)?.protocol === "ssh";
}

/** Who gets the secret of these settings to see. */
function receiverOf(settings: TargetSettings): string {
  switch (settings.kind) {
    case "s3":
      return `s3 ${settings.endpoint} ${settings.accessKeyId}`;
    case "git": {
      const { protocol = "", host = "", port = 0 } = parseGitAddress(settings.url) ?? {};
      // A private key isn't shown to the server.
      return protocol === "ssh" ? "ssh" : `git ${host}:${port} ${settings.user}`;
    }
    case "rsync":
      return "ssh";
    default:
      return settings.kind;
  }
}

/** Where these settings put the site: what is known of one location says nothing of another. */
export function locationOf(settings: TargetSettings): string {
  switch (settings.kind) {
    case "s3":
      return JSON.stringify(["s3", settings.endpoint, settings.bucket, settings.prefix]);
    case "git":
      return JSON.stringify(["git", settings.url, settings.branch]);
    case "rsync": {
      const { host, port, user, folder, isAtomic } = settings;
      return JSON.stringify(["rsync", host, port, user, folder, isAtomic]);
    }
    case "netlify":
      return JSON.stringify(["netlify", settings.siteId]);
    default:
      return JSON.stringify(["cloudflare", settings.accountId, settings.project]);
  }
}

const boundSecret = z.strictObject({ for: z.string(), secret: z.string() });

/** Encrypts a secret together with whom it was entered for. */
export function sealSecret(keyring: Keyring, secret: string, settings: TargetSettings): Sealed {
  const text = JSON.stringify({ for: receiverOf(settings), secret });
  return seal(keyring, targetSealContext, text);
}

/**
 * The secret, if it was entered for whom these settings name; otherwise null. Throws `unavailable`
 * if it can't be decrypted.
 */
export function unsealSecret(
  keyring: Keyring,
  sealed: Sealed | null,
  settings: TargetSettings,
): string | null {
  if (sealed === null) return null;
  const bound = boundSecret.parse(JSON.parse(unseal(keyring, targetSealContext, sealed)));
  return bound.for === receiverOf(settings) ? bound.secret : null;
}
