import { z } from "zod";
import { line } from "../../kit/fields.ts";
import { answers } from "./answers.ts";

/** POST /api/adminsetup/answers: what is named replaces what was answered before; null forgets it. */
export const answersBody = z.strictObject(
  Object.fromEntries(
    Object.entries(answers.shape).map(([name, schema]) => [name, schema.nullable()]),
  ) as { [Name in keyof typeof answers.shape]: z.ZodNullable<(typeof answers.shape)[Name]> },
);

/** Who the site's pages speak of now. */
const identity = z.object({
  name: z.string(),
  role: z.string(),
  place: z.string(),
  email: z.string(),
});

export const setupView = z.object({
  answers,
  /** Null for what is still the sample person's. */
  site: z.object({
    name: identity.shape.name.nullable(),
    role: identity.shape.role.nullable(),
    place: identity.shape.place.nullable(),
    email: identity.shape.email.nullable(),
  }),
  sample: z.object({
    /** Files of the site in which something is still the sample's. */
    files: z.array(z.string()),
    /** Sample projects that nobody has changed. */
    projects: z.int(),
  }),
  /** Whether the overview shows nothing of what is open any more. */
  isDismissed: z.boolean(),
  /** The newest run of the set-up that is open, or has a preview; null where there is none. */
  runId: z.string().nullable(),
});
export type SetupView = z.infer<typeof setupView>;

export const dismissBody = z.strictObject({ isDismissed: z.boolean() });

/** POST /devconsole/site-name: the name that the site’s pages are to carry. */
export const siteNameBody = z.strictObject({ name: line(120, { min: 1 }) });

export const setupBody = z.strictObject({}).nullish();
export const setupStarted = z.object({ runId: z.string() });
