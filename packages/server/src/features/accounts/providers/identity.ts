import { cleanText } from "../../../kit/text.ts";
import { parseEmail } from "../parse-email.ts";
import type { Flow } from "./flow.ts";
import { ProviderError } from "./provider-error.ts";
import type { Fetch } from "./outbound.ts";
import type { IdentityProvider } from "./provider.ts";

/** Who somebody is at a provider. */
export interface Identity {
  issuer: string;
  /** Never changes there, and is nobody else's. */
  subject: string;
  /** The address, in small letters, where the provider says that it is confirmed; else null. */
  email: string | null;
  name: string;
}

/** How a kind of provider is talked to. */
export interface Protocol {
  /** Where the browser is to go, with PKCE by S256. */
  authorizationUrl(ask: ProtocolRequest): Promise<URL>;
  /** Who has come back, by the code in `callback`, the address with its query. */
  identify(ask: ProtocolRequest, callback: URL): Promise<Identity>;
}

export interface ProtocolRequest {
  provider: IdentityProvider;
  flow: Pick<Flow, "state" | "nonce" | "verifier" | "startedAt">;
  redirectUri: string;
  fetch: Fetch;
}

/** An address as it is kept; null for what is none. */
export function emailOf(value: unknown): string | null {
  try {
    return parseEmail(typeof value === "string" ? value : "");
  } catch {
    return null;
  }
}

const maxNameLength = 120;

/** A name as it is kept; empty for none. */
export function nameOf(value: unknown): string {
  if (typeof value !== "string") return "";
  return cleanText(cleanText(value).slice(0, maxNameLength));
}

/** An unchanging id at a provider, as it is kept (OpenID Connect Core 1.0, section 2: at most 255). */
export function subjectOf(value: string): string {
  if (/^[\x20-\x7e]{1,255}$/.test(value)) return value;
  throw new ProviderError("its answer doesn't say who you are");
}
