import { z } from "zod";
import { code } from "../../../kit/fields.ts";

/** Stands for exactly the findings that a person was shown. */
export const privateFingerprint = code(64).regex(
  /^[0-9a-f]{64}$/,
  "must be the fingerprint of a refusal",
);

/** A private text that would go live: where, and of which record; never the text itself. */
export const privateFinding = z.object({
  /** The address of the page or file; its folder alone where the address is what must not be seen. */
  page: z.string(),
  /** Such as `draft project 12`. */
  record: z.string(),
  field: z.string(),
});
export type PrivateFinding = z.infer<typeof privateFinding>;

/** What refused a publish. */
export const privateRefusal = z.object({
  fingerprint: z.string(),
  /** At most 200 of them. */
  findings: z.array(privateFinding),
  total: z.number().int(),
});
export type PrivateRefusal = z.infer<typeof privateRefusal>;
