import { z } from "zod";
import { verbatim } from "../../../kit/fields.ts";

/** GET /api/adminauth/methods: how the admin can sign in, beside a sign-in link. */
export const signInMethods = z.object({ password: z.boolean() });
export type SignInMethods = z.infer<typeof signInMethods>;

/** Whether the admin has a password, and since when (ISO 8601). */
export const passwordView = z.object({ isSet: z.boolean(), setAt: z.string().nullable() });
export type PasswordView = z.infer<typeof passwordView>;

/** `current` is needed once there is a password. */
export const passwordBody = z.strictObject({
  password: verbatim(5000),
  current: verbatim(5000).optional(),
});
