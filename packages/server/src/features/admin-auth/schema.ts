import { z } from "zod";
import { verbatim } from "../../kit/fields.ts";
import { tokenScopes } from "./api-tokens.ts";

/** POST /api/adminauth/login */
export const loginBody = z.strictObject({ password: verbatim(5000) });

/** GET /api/adminauth/check: some gateways pass on the query of the original request. */
export const checkQuery = z.looseObject({});

/** The signed-in admin. */
export const adminIdentity = z.object({ admin: z.literal(true), expiresAt: z.iso.datetime() });

/** POST /api/adminauth/logout */
export const signedOut = z.object({ admin: z.literal(false) });

/** GET /api/admin/ping */
export const pong = z.object({
  pong: z.literal(true),
  token: z.string(),
  scopes: z.array(z.enum(tokenScopes)),
});
