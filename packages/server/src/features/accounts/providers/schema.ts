import { z } from "zod";
import { line } from "../../../kit/fields.ts";

/** A provider's id in an address. */
export const providerParams = z.strictObject({
  provider: z
    .string()
    .max(40)
    .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/),
});

export const startQuery = z.strictObject({
  /** A path of this site; anything else leads to the account page. */
  return_to: line(2000).optional(),
});

/** Providers add what they like, such as `iss` and `session_state`; the provider reads what counts. */
export const callbackQuery = z.looseObject({});

export const linkBody = z.strictObject({ returnTo: line(2000).optional() });

export const startResponse = z.object({
  /** Where the browser is to go. */
  location: z.string(),
});

export const finished = z.object({ kind: z.enum(["signedIn", "linked"]), returnTo: z.string() });

export const unlinked = z.object({ linked: z.literal(false) });

export const providerList = z.object({
  providers: z.array(
    z.object({ id: z.string(), name: z.string(), kind: z.enum(["oidc", "github"]) }),
  ),
  /** Of the signed-in user; null for nobody. */
  linked: z
    .array(
      z.object({
        provider: z.string(),
        name: z.string(),
        email: z.string(),
        linkedAt: z.string(),
        lastUsedAt: z.string().nullable(),
        usable: z.boolean(),
      }),
    )
    .nullable(),
});
