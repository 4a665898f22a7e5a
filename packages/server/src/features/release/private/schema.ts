import { z } from "zod";
import { code } from "../../../kit/fields.ts";

/** Identifies exactly the findings that a person has seen. */
export const privateFingerprint = code(64).regex(
  /^[0-9a-f]{64}$/,
  "must be the fingerprint of a refusal",
);

/** A private text that would go live: where, and from which record; never the text itself. */
export const privateFinding = z.object({
  /** The address of the page or file; only its folder if the address itself is private. */
  page: z.string(),
  /** Such as `draft project 12`. */
  record: z.string(),
  field: z.string(),
});
export type PrivateFinding = z.infer<typeof privateFinding>;

/** Why a publish was refused. */
export const privateRefusal = z.object({
  fingerprint: z.string(),
  /** At most 200. */
  findings: z.array(privateFinding),
  total: z.number().int(),
});
export type PrivateRefusal = z.infer<typeof privateRefusal>;
