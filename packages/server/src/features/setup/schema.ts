import { z } from "zod";
import { line } from "../../kit/fields.ts";
import { answers } from "./answers.ts";

/** POST /api/adminsetup/answers: replaces the given answers; null removes one. */
export const answersBody = z.strictObject(
  Object.fromEntries(
    Object.entries(answers.shape).map(([name, schema]) => [name, schema.nullable()]),
  ) as { [Name in keyof typeof answers.shape]: z.ZodNullable<(typeof answers.shape)[Name]> },
);

/** Who the site's pages are about now. */
const identity = z.object({
  name: z.string(),
  role: z.string(),
  place: z.string(),
  email: z.string(),
});

export const setupView = z.object({
  answers,
  /** Null for values that are still the sample person's. */
  site: z.object({
    name: identity.shape.name.nullable(),
    role: identity.shape.role.nullable(),
    place: identity.shape.place.nullable(),
    email: identity.shape.email.nullable(),
  }),
  sample: z.object({
    /** Files that still contain content of the sample. */
    files: z.array(z.string()),
    /** Sample projects that nobody has changed. */
    projects: z.int(),
  }),
  /** The language that the site's pages name, such as `en`. */
  language: z.string(),
  /** The texts in English that the site has from the setup, once the answers are applied. */
  texts: z.array(z.object({ file: z.string(), text: z.string() })),
  /** Whether the overview no longer shows open setup steps. */
  isDismissed: z.boolean(),
  /** The newest setup run that is open or has a preview; null if there is none. */
  runId: z.string().nullable(),
});
export type SetupView = z.infer<typeof setupView>;

export const dismissBody = z.strictObject({ isDismissed: z.boolean() });

/** POST /devconsole/site-name: the new name on the site’s pages. */
export const siteNameBody = z.strictObject({ name: line(120, { min: 1 }) });

export const setupBody = z.strictObject({}).nullish();
export const setupStarted = z.object({ runId: z.string() });
