import { z } from "zod";
import { line, maxId, paragraphs } from "../../kit/fields.ts";
import { accent, theme } from "../settings/theme/theme-setting.ts";

/** Maximum number of services. */
const maxServices = 12;

const service = z.strictObject({
  name: line(120, { min: 1 }),
  text: line(400),
  /** As shown, such as `From €6,500`; empty for none. */
  price: line(120),
});

/** The image of the site's person: a stored image and its alt text. */
const portrait = z.strictObject({
  mediaId: z.int("must be an id").min(1).max(maxId),
  alt: line(300, { min: 1, empty: "is empty: say in a few words what the image shows" }),
});

const email = line(254).refine(
  (text) => text === "" || /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text),
  "must be an email address such as name@example.com",
);

/**
 * The owner's answers in the setup. Missing answers haven't been given; null and empty mean none.
 * In both of the latter cases, the sample's content doesn't stay.
 */
export const answers = z.strictObject({
  name: line(120, { min: 1, empty: "is empty: enter your name or your studio's" }).optional(),
  role: line(120).optional(),
  place: line(120).optional(),
  email: email.optional(),
  portrait: portrait.nullable().optional(),
  about: paragraphs(3000).optional(),
  services: z
    .array(service)
    .max(maxServices, `must have at most ${maxServices} entries`)
    .optional(),
  theme: theme.optional(),
  accent: accent.optional(),
  /** The owner wants no language model for now. */
  model: z.literal("without", "must be “without”").optional(),
});
export type Answers = z.infer<typeof answers>;
