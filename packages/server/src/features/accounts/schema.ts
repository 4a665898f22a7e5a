import { z } from "zod";
import { line, verbatim } from "../../kit/fields.ts";
import { pageSchema, pageQuery } from "../../kit/envelope.ts";

/** Limits on reading; the operations validate further and explain. */
const address = line(320, { tooLong: "is too long", controls: "isn't an email address" });
const password = verbatim(2000);
const controls = "must not contain control characters";
const name = line(500, { tooLong: "is too long", controls });
const token = line(200, { tooLong: "is too long" });

/** POST /api/account/signup */
export const signUpBody = z.strictObject({
  email: address,
  password: password.describe("10 to 256 characters, and not a common password"),
  name: name.default("").describe("At most 120 characters"),
});

/** POST /api/account/accept */
export const acceptBody = z.strictObject({ token, password, name: name.default("") });

/** POST /api/account/verify */
export const tokenBody = z.strictObject({ token });

/** POST /api/account/resend, /password/forgot */
export const addressBody = z.strictObject({ email: address });

/** POST /api/account/signin */
export const signInBody = z.strictObject({ email: address, password });

/** POST /api/account/password/reset */
export const resetBody = z.strictObject({ token, password });

/** POST /api/account/password/change */
export const changeBody = z.strictObject({ current: password, password });

/** POST /api/account/sessions/revoke */
export const revokeBody = z.union([
  z.strictObject({ id: line(100) }),
  z.strictObject({ others: z.literal(true) }),
]);

/** POST /api/account/delete */
export const removeBody = z.strictObject({
  password: password
    .default("")
    .describe("Empty for a user without a password who has just signed in"),
});

/** POST /api/account/signout */
export const nothing = z.strictObject({}).nullish();

export const user = z.object({
  id: z.number().int(),
  email: z.string(),
  name: z.string(),
  verified: z.boolean(),
  hasPassword: z.boolean(),
  createdAt: z.iso.datetime(),
});

export const signedInUser = z.object({
  user,
  session: z.object({
    method: z.string(),
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime(),
  }),
});

export const sessionQuery = z.strictObject(pageQuery);
export const sessionList = pageSchema(
  z.object({
    id: z.string(),
    current: z.boolean(),
    createdAt: z.iso.datetime(),
    lastSeenAt: z.iso.datetime(),
    expiresAt: z.iso.datetime(),
    method: z.string(),
    ip: z.string(),
    userAgent: z.string(),
  }),
);

/** The same response for known and unknown addresses. */
export const accepted = z.object({ accepted: z.literal(true) });

export const done = z.object({ done: z.literal(true) });
export const confirmed = z.object({ email: z.string() });
export const exported = z.record(z.string(), z.unknown());
