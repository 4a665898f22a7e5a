import { z } from "zod";
import { line } from "../../../kit/fields.ts";
import { isIssuer } from "./issuer.ts";

function filled(max: number) {
  return line(max, { min: 1 });
}

export const maxProviders = 10;

/** A provider's fields without its secret. */
const fields = {
  /** Names it in addresses. */
  id: filled(40).regex(
    /^[a-z0-9]+(-[a-z0-9]+)*$/,
    "must be lowercase letters and digits with hyphens",
  ),
  kind: z.enum(["oidc", "github"], "is neither oidc nor github"),
  /** What the button says. */
  name: filled(60),
  /** Of OpenID Connect; for GitHub another server's address than github.com, or null. */
  issuer: filled(500)
    .refine(isIssuer, "must be an https address without a username, password or query")
    .nullable()
    .default(null),
  clientId: filled(500).regex(/^[\x20-\x7e]+$/, "has a letter that no client id has"),
  /** One that is off signs nobody in. */
  enabled: z.boolean("must be true or false").default(true),
};

const secret = filled(1000).regex(/^[\x20-\x7e]+$/, "has a letter that no client secret has");

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

/** The whole list, in the order of the buttons. A secret that is left out stays, while it goes where it went. */
export const identityBody = z.strictObject({
  providers: z
    .array(providerInput)
    .max(maxProviders, `are more than ${maxProviders}`)
    .refine(hasOwnNames, "have an id twice"),
});
export type IdentityBody = z.infer<typeof identityBody>;

/** What is stored, sealed as a whole. */
export const storedProviders = z
  .array(z.object({ ...fields, clientSecret: z.string() }))
  .max(maxProviders);
export type StoredProvider = z.infer<typeof storedProviders>[number];

export const identityView = z.object({
  providers: z.array(
    z.object({
      ...fields,
      clientSecretSet: z.boolean(),
      /** What is to be entered at the provider. */
      callbackUrl: z.string(),
    }),
  ),
});
export type IdentityView = z.infer<typeof identityView>;
export type ProviderView = IdentityView["providers"][number];

export const testBody = z.strictObject({ id: fields.id });

/** What the provider itself says of where people are sent to sign in. */
export const identityTest = z.object({
  issuer: z.string(),
  signInAt: z.string(),
  /** What is worth knowing, though it works. */
  notes: z.array(z.string()),
});
export type IdentityTest = z.infer<typeof identityTest>;
