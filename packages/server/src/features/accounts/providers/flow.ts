import { z } from "zod";
import { parseJson } from "../../../kit/json.ts";
import { renameKeys } from "../../../kit/renamed-keys.ts";
import { type Keyring, seal, unseal } from "../../../platform/secrets.ts";

/** What a browser carries while its person is at a provider. */
const flow = z.strictObject({
  provider: z.string(),
  state: z.string(),
  nonce: z.string(),
  /** Of PKCE (RFC 7636). */
  verifier: z.string(),
  returnTo: z.string(),
  /** Whose account is to be linked; null for a sign-in. */
  linkUser: z.number().nullable(),
  /** ms. */
  startedAt: z.number(),
});
/** A cookie of before the update has the old name, and ten minutes to live. */
const storedFlow = z.preprocess((value) => renameKeys(value, { begunAt: "startedAt" }), flow);
export type Flow = z.infer<typeof flow>;

/** How long somebody may stay at the provider, ms. */
export const flowLifetime = 10 * 60_000;
/** The cookie that holds it; of one that begins twice the later counts. */
export const flowCookieName = "vitrine_oauth";

const sealName = "oauth_flow";
const maxLength = 4000;

/** The cookie's value: sealed, so that the browser neither reads nor writes what it carries. */
export function sealFlow(keyring: Keyring, content: Flow): string {
  const { keyId, ciphertext } = seal(keyring, sealName, JSON.stringify(content));
  return `${keyId}.${ciphertext}`;
}

/** What a cookie's value holds; null for one that we did not make, or that has expired. */
export function openFlow(keyring: Keyring, value: string, now: number): Flow | null {
  const dot = value.indexOf(".");
  if (dot === -1 || value.length > maxLength) return null;
  const sealed = { keyId: value.slice(0, dot), ciphertext: value.slice(dot + 1) };
  try {
    const content = storedFlow.parse(parseJson(unseal(keyring, sealName, sealed)));
    return content.startedAt + flowLifetime > now ? content : null;
  } catch {
    return null;
  }
}
