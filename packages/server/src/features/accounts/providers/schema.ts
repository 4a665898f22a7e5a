import { z } from "zod";
import { line } from "../../../kit/fields.ts";

/** A provider's ID in an address. */
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

/** Providers add parameters, such as `iss` and `session_state`; only the expected ones are read. */
export const callbackQuery = z.looseObject({});

export const linkBody = z.strictObject({ returnTo: line(2000).optional() });

export const startResponse = z.object({
  /** The address to redirect to. */
  location: z.string(),
});

export const finished = z.object({ kind: z.enum(["signedIn", "linked"]), returnTo: z.string() });

export const unlinked = z.object({ linked: z.literal(false) });

export const providerList = z.object({
  providers: z.array(
    z.object({ id: z.string(), name: z.string(), kind: z.enum(["oidc", "github"]) }),
  ),
  /** The signed-in user's; null if signed out. */
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
