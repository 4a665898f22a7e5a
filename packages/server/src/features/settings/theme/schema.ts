import { z } from "zod";
import { accent, theme } from "./theme-setting.ts";

/** Null means the site's source decides. A missing accent stays unchanged. */
export const themeBody = z.strictObject({
  theme: theme.nullable(),
  accent: accent.nullable().optional(),
});

const palette = z.record(z.string(), z.string());
/** The CSS values for a theme's preview; empty if theme.css doesn't define them. */
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

/** An accent color in both color schemes. */
export const accentPreview = z.object({ accent, light: z.string(), dark: z.string() });
export type AccentPreview = z.infer<typeof accentPreview>;

export const themeView = z.object({
  theme: theme.nullable(),
  accent: accent.nullable(),
  /** What the site's source sets; null if it is unset or unknown. */
  sourceTheme: theme.nullable(),
  sourceAccent: accent.nullable(),
  themes: z.array(themePreview),
  /** The accents in theme.css, without the theme's own; empty on a site without them. */
  accents: z.array(accentPreview),
});
export type ThemeView = z.infer<typeof themeView>;
