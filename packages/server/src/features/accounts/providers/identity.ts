import { cleanText } from "../../../kit/text.ts";
import { parseEmail } from "../parse-email.ts";
import type { Flow } from "./flow.ts";
import { ProviderError } from "./provider-error.ts";
import type { Fetch } from "./outbound.ts";
import type { IdentityProvider } from "./provider.ts";

/** A user's identity at a provider. */
export interface Identity {
  issuer: string;
  /** The unchanging, unique ID at the provider. */
  subject: string;
  /** The address in lowercase if the provider says that it is confirmed; otherwise null. */
  email: string | null;
  name: string;
}

/** The protocol of a kind of provider. */
export interface Protocol {
  /** The address to send the browser to, with PKCE by S256. */
  authorizationUrl(ask: ProtocolRequest): Promise<URL>;
  /** The identity for the code in `callback`, the full callback address. */
  identify(ask: ProtocolRequest, callback: URL): Promise<Identity>;
}

export interface ProtocolRequest {
  provider: IdentityProvider;
  flow: Pick<Flow, "state" | "nonce" | "verifier" | "startedAt">;
  redirectUri: string;
  fetch: Fetch;
}

/** A normalized address; null if it is invalid. */
export function emailOf(value: unknown): string | null {
  try {
    return parseEmail(typeof value === "string" ? value : "");
  } catch {
    return null;
  }
}

const maxNameLength = 120;

/** A normalized name; empty if it is invalid. */
export function nameOf(value: unknown): string {
  if (typeof value !== "string") return "";
  return cleanText(cleanText(value).slice(0, maxNameLength));
}

/**
 * A valid, unchanging ID at a provider (OpenID Connect Core 1.0, section 2: at most 255
 * characters).
 */
export function subjectOf(value: string): string {
  if (/^[\x20-\x7e]{1,255}$/.test(value)) return value;
  throw new ProviderError("its response doesn't identify you");
}
