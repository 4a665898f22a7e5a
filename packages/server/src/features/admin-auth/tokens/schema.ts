import { z } from "zod";
import { line } from "../../../kit/fields.ts";
import { pageSchema, pageQuery } from "../../../kit/envelope.ts";
import { tokenScopes } from "../api-tokens.ts";

const scope = z.enum(tokenScopes);

const token = z.object({
  name: z.string(),
  scopes: z.array(scope),
  createdAt: z.string(),
  lastUsedAt: z.string().nullable(),
  expiresAt: z.string().nullable(),
  revokedAt: z.string().nullable(),
});
export type ApiToken = z.infer<typeof token>;

export const tokenQuery = z.strictObject(pageQuery);
export const tokenList = pageSchema(token);
export type TokenList = z.infer<typeof tokenList>;

/** `expires` is an ISO 8601 date or time; without it, a token never expires. */
export const createBody = z.strictObject({
  name: line(200),
  scopes: z.array(scope).min(1).max(tokenScopes.length),
  expires: line(40).optional(),
});

/** Only this response contains the token itself. */
export const createdToken = z.object({
  name: z.string(),
  scopes: z.array(scope),
  token: z.string(),
  expiresAt: z.string().nullable(),
});
export type CreatedToken = z.infer<typeof createdToken>;

export const revokeBody = z.strictObject({ name: line(200) });
export const revokedToken = z.object({ name: z.string(), revokedAt: z.string() });
