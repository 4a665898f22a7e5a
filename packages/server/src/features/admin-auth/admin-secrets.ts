import type { Clock } from "../../kit/clock.ts";
import { isoTime } from "../../kit/time.ts";
import type { Db } from "../../platform/db/connect.ts";
import { type Hasher, makeHasher } from "./hasher.ts";
import { checkNewPassword, linkTokenDigest, newLinkToken, normalPassword } from "./credentials.ts";
import { readAccount, replaceSecret } from "./store.ts";

/** Sets the admin password and ends all sessions. Throws `validation_failed` for an invalid one. */
export async function setAdminPassword(options: {
  db: Db;
  clock: Clock;
  password: string;
  hasher?: Hasher;
}): Promise<{ setAt: string }> {
  const { db, clock, password, hasher = makeHasher() } = options;
  checkNewPassword(password);
  const hash = await hasher.hash(normalPassword(password));
  const at = isoTime(clock.now());
  await replaceSecret(db, { kind: "password", hash, at });
  return { setAt: at };
}

/**
 * Creates a new secret link and returns it; only its hash is stored. The previous link stops
 * working and all sessions end.
 */
export async function setAdminToken(options: {
  db: Db;
  clock: Clock;
  baseUrl: string;
  hasher?: Hasher;
}): Promise<{ url: string; setAt: string }> {
  const { db, clock, baseUrl, hasher = makeHasher() } = options;
  const token = newLinkToken();
  const hash = await hasher.hash(linkTokenDigest(token));
  const at = isoTime(clock.now());
  await replaceSecret(db, { kind: "token", hash, at });
  return { url: new URL(`/admin/${token}`, baseUrl).href, setAt: at };
}

/** When the password and the link were set; null for one that was never set. */
export async function adminSecretsSetAt(
  db: Db,
): Promise<{ passwordSetAt: string | null; tokenSetAt: string | null }> {
  const account = await readAccount(db);
  return { passwordSetAt: account.password_set_at, tokenSetAt: account.token_set_at };
}
