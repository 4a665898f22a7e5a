import { z } from "zod";
import { accent, theme } from "./theme-setting.ts";

/** Null: what the site's source says. An accent that is left out stays as it is. */
export const themeBody = z.strictObject({
  theme: theme.nullable(),
  accent: accent.nullable().optional(),
});

const palette = z.record(z.string(), z.string());
/** What a look is drawn with: values of CSS, empty where the site's theme.css has none. */
export const themePreview = z.object({
  theme: theme,
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
export type ThemePreview = z.infer<typeof themePreview>;

/** An accent color in both modes. */
export const accentPreview = z.object({ accent, light: z.string(), dark: z.string() });
export type AccentPreview = z.infer<typeof accentPreview>;

export const themeView = z.object({
  theme: theme.nullable(),
  accent: accent.nullable(),
  /** What the site's source says; null where it says none of these. */
  sourceTheme: theme.nullable(),
  sourceAccent: accent.nullable(),
  themes: z.array(themePreview),
  /** Those that the site's theme.css has, without the theme's own; none on a site without such colors. */
  accents: z.array(accentPreview),
});
export type ThemeView = z.infer<typeof themeView>;
