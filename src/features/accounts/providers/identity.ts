import { z } from "zod";
import { cleanText } from "../../../kit/text.ts";
import type { Flow } from "./flow.ts";
import { ProviderFault } from "./faults.ts";
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
  authorizationUrl(ask: Conversation): Promise<URL>;
  /** Who has come back, by the code in `callback`, the address with its query. */
  identify(ask: Conversation, callback: URL): Promise<Identity>;
}

export interface Conversation {
  provider: IdentityProvider;
  flow: Pick<Flow, "state" | "nonce" | "verifier" | "begunAt">;
  redirectUri: string;
  fetch: Fetch;
}

const address = z.email().max(254);
const maxName = 100;

/** An address as it is kept; null for what is none. */
export function addressOf(value: unknown): string | null {
  const parsed = address.safeParse(typeof value === "string" ? value.trim().toLowerCase() : null);
  return parsed.success ? parsed.data : null;
}

/** A name as it is kept; empty for none. */
export function nameOf(value: unknown): string {
  return typeof value === "string" ? cleanText(value).slice(0, maxName).toWellFormed().trim() : "";
}

/** An unchanging id at a provider, as it is kept (OpenID Connect Core 1.0, section 2: at most 255). */
export function subjectOf(value: string): string {
  if (/^[\x20-\x7e]{1,255}$/.test(value)) return value;
  throw new ProviderFault("it does not say who you are");
}
