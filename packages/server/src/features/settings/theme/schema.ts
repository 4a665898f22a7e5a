import { z } from "zod";
import { theme } from "./theme-setting.ts";

/** Null: what the site's source says. */
export const themeBody = z.strictObject({ theme: theme.nullable() });

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

export const themeView = z.object({
  ...themeBody.shape,
  /** What the site's source says; null where it says none of these. */
  sourceTheme: theme.nullable(),
  themes: z.array(themePreview),
});
export type ThemeView = z.infer<typeof themeView>;
