import { z } from "zod";
import { look } from "./look-setting.ts";

/** Null: what the site's source says. */
export const lookBody = z.strictObject({ look: look.nullable() });

const palette = z.record(z.string(), z.string());
/** What a look is drawn with: values of CSS, empty where the site's theme.css has none. */
export const lookSpecimen = z.object({
  look,
  light: palette,
  dark: palette,
  fontDisplay: z.string(),
  fontText: z.string(),
  weight: z.string(),
  tracking: z.string(),
  leading: z.string(),
  radius: z.string(),
  radiusButton: z.string(),
});
export type LookSpecimen = z.infer<typeof lookSpecimen>;

export const lookView = z.object({
  ...lookBody.shape,
  /** What the site's source says; null where it says none of these. */
  source: look.nullable(),
  looks: z.array(lookSpecimen),
});
export type LookView = z.infer<typeof lookView>;
