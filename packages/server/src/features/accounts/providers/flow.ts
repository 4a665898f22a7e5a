import { z } from "zod";
import { parseJson } from "../../../kit/json.ts";
import { renameKeys } from "../../../kit/renamed-keys.ts";
import { type Keyring, seal, unseal } from "../../../platform/secrets.ts";

/** The state that a browser carries while its user is at a provider. */
const flow = z.strictObject({
  provider: z.string(),
  state: z.string(),
  nonce: z.string(),
  /** PKCE's code verifier (RFC 7636). */
  verifier: z.string(),
  returnTo: z.string(),
  /** The user to link; null for a sign-in. */
  linkUser: z.number().nullable(),
  /** ms. */
  startedAt: z.number(),
});
/** Cookies from before the update use the old name and are valid for ten minutes. */
const storedFlow = z.preprocess((value) => renameKeys(value, { begunAt: "startedAt" }), flow);
export type Flow = z.infer<typeof flow>;

/** How long a user may stay at the provider, ms. */
export const flowLifetime = 10 * 60_000;
/** The cookie that holds the flow; a later flow replaces an earlier one. */
export const flowCookieName = "vitrine_oauth";

const sealName = "oauth_flow";
const maxLength = 4000;

/** The cookie's value, encrypted so that the browser can't read or change it. */
export function sealFlow(keyring: Keyring, content: Flow): string {
  const { keyId, ciphertext } = seal(keyring, sealName, JSON.stringify(content));
  return `${keyId}.${ciphertext}`;
}

/** The flow in a cookie's value; null for an invalid or expired one. */
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
