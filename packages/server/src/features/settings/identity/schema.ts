import { z } from "zod";
import { line } from "../../../kit/fields.ts";
import { isIssuer } from "./issuer.ts";

function filled(max: number) {
  return line(max, { min: 1 });
}

export const maxProviders = 10;

/** A provider's fields without its secret. */
const fields = {
  /** Its ID in addresses. */
  id: filled(40).regex(
    /^[a-z0-9]+(-[a-z0-9]+)*$/,
    "must be lowercase letters and digits with hyphens",
  ),
  kind: z.enum(["oidc", "github"], "must be oidc or github"),
  /** Its name on the button. */
  name: filled(60),
  /** The OpenID Connect issuer; for GitHub, a server other than github.com, or null. */
  issuer: filled(500)
    .refine(isIssuer, "must be an https address without a username, password or query")
    .nullable()
    .default(null),
  clientId: filled(500).regex(/^[\x20-\x7e]+$/, "has a character that client IDs can't contain"),
  /** Disabled providers sign nobody in. */
  enabled: z.boolean("must be true or false").default(true),
};

const secret = filled(1000).regex(
  /^[\x20-\x7e]+$/,
  "has a character that client secrets can't contain",
);

const providerInput = z
  .strictObject({ ...fields, clientSecret: secret.optional() })
  .refine(({ kind, issuer }) => kind === "github" || issuer !== null, {
    message: "is needed for OpenID Connect",
    path: ["issuer"],
  });
export type ProviderInput = z.infer<typeof providerInput>;

function hasOwnNames(providers: readonly { id: string }[]): boolean {
  return new Set(providers.map(({ id }) => id)).size === providers.length;
}

/**
 * The whole list, in the order of the buttons. A missing secret stays unchanged as long as its
 * destination does.
 */
export const identityBody = z.strictObject({
  providers: z
    .array(providerInput)
    .max(maxProviders, `must be at most ${maxProviders}`)
    .refine(hasOwnNames, "have a duplicate ID"),
});
export type IdentityBody = z.infer<typeof identityBody>;

/** The stored providers, encrypted as a whole. */
export const storedProviders = z
  .array(z.object({ ...fields, clientSecret: z.string() }))
  .max(maxProviders);
export type StoredProvider = z.infer<typeof storedProviders>[number];

export const identityView = z.object({
  providers: z.array(
    z.object({
      ...fields,
      clientSecretSet: z.boolean(),
      /** The address to enter at the provider. */
      callbackUrl: z.string(),
    }),
  ),
});
export type IdentityView = z.infer<typeof identityView>;
export type ProviderView = IdentityView["providers"][number];

export const testBody = z.strictObject({ id: fields.id });

/** Where users are sent to sign in, according to the provider. */
export const identityTest = z.object({
  issuer: z.string(),
  signInAt: z.string(),
  /** Remarks, even if it works. */
  notes: z.array(z.string()),
});
export type IdentityTest = z.infer<typeof identityTest>;
