import type { ApiToken } from "../../../../server/src/features/admin-auth/tokens/schema.ts";
import { fromLocalField } from "../changelog/time-zone.ts";
import type { FieldErrors } from "../forms/useForm.ts";

export type { ApiToken };

export const lifetimes = [
  { value: "30", label: "30 days" },
  { value: "90", label: "90 days" },
  { value: "365", label: "A year" },
  { value: "date", label: "Until a date you choose" },
  { value: "never", label: "Until you revoke it" },
] as const;
export type Lifetime = (typeof lifetimes)[number]["value"];

export const rights = [
  { value: "read", label: "Read only" },
  { value: "write", label: "Read and change" },
] as const;
export type Right = (typeof rights)[number]["value"];

export interface TokenForm {
  name: string;
  right: Right;
  lifetime: Lifetime;
  /** As in a date field. */
  day: string;
}

export const newToken: TokenForm = { name: "", right: "read", lifetime: "90", day: "" };

const dayMs = 86_400_000;

/**
 * When it expires, as ISO 8601 UTC: at the end of a day in the owner's time zone. Null for never.
 */
function expiryOf({ lifetime, day }: TokenForm, now: number, timeZone: string): string | null {
  if (lifetime === "never") return null;
  if (lifetime !== "date") return new Date(now + Number(lifetime) * dayMs).toISOString();
  const next = new Date(Date.parse(`${day}T00:00:00Z`) + dayMs).toISOString().slice(0, 10);
  return fromLocalField(`${next}T00:00`, timeZone);
}

export function missingToken(form: TokenForm, now: number, timeZone: string): FieldErrors {
  const dated = form.lifetime === "date";
  const noDay = dated && Number.isNaN(Date.parse(form.day));
  const past = dated && !noDay && Date.parse(expiryOf(form, now, timeZone) ?? "") <= now;
  return {
    ...(form.name.trim() === "" && { name: "Enter a name so you can recognize it later." }),
    ...(noDay && { expires: "Choose a date." }),
    ...(past && { expires: "Choose a date in the future." }),
  };
}

export function tokenBody(form: TokenForm, now: number, timeZone: string): object {
  const expires = expiryOf(form, now, timeZone);
  return {
    name: form.name.trim(),
    scopes: form.right === "write" ? ["read", "write"] : ["read"],
    ...(expires !== null && { expires }),
  };
}

export type TokenState = "live" | "expired" | "revoked";

export function stateOf({ revokedAt, expiresAt }: ApiToken, now: number): TokenState {
  if (revokedAt !== null) return "revoked";
  return expiresAt !== null && Date.parse(expiresAt) <= now ? "expired" : "live";
}

export function rightLabels({ scopes }: Pick<ApiToken, "scopes">): string {
  if (!scopes.includes("write")) return "Read only";
  return scopes.includes("read") ? "Read and change" : "Change only";
}
