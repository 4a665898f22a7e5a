import { accents, themes } from "./theme-setting.ts";
import type { AccentPreview, ThemePreview } from "./schema.ts";

/** The custom properties of one rule, without the leading dashes. */
export type Tokens = Record<string, string>;

/** The colors of a preview. */
const previewColors = ["bg", "surface", "text", "muted", "accent", "on-accent", "control", "line"];

/** The custom properties of all rules with this selector; later ones override earlier ones. */
function rule(css: string, selector: string): Tokens {
  const tokens: Tokens = {};
  for (const [, found = "", body = ""] of css.matchAll(/([^{}]+)\{([^{}]*)\}/g)) {
    if (found.trim().replaceAll("'", '"') !== selector) continue;
    for (const [, name = "", value = ""] of body.matchAll(/--([\w-]+)\s*:\s*([^;]+)/g)) {
      tokens[name] = value.trim().replace(/\s+/g, " ");
    }
  }
  return tokens;
}

const withoutComments = (sheet: string) => sheet.replace(/\/\*[\s\S]*?\*\//g, "");

/** All tokens of a theme in theme.css: the default's, overridden by the theme's own. */
export function tokensOfTheme(sheet: string, themeName: string): Tokens {
  const css = withoutComments(sheet);
  return { ...rule(css, ":root"), ...rule(css, `[data-look="${themeName}"]`) };
}

/** A color in one color scheme: the first or second value of `light-dark()`, or the only one. */
export function inColorScheme(value: string, colorScheme: "light" | "dark"): string {
  const pair = /^light-dark\(\s*([^,()]+|\w+\([^()]*\))\s*,\s*([^,()]+|\w+\([^()]*\))\s*\)$/.exec(
    value,
  );
  return (pair?.[colorScheme === "light" ? 1 : 2] ?? value).trim();
}

/** The previews of all themes according to theme.css; missing values are empty. */
export function themePreviews(sheet: string): ThemePreview[] {
  return themes.map((themeName) => {
    const tokens = tokensOfTheme(sheet, themeName);
    const palette = (colorScheme: "light" | "dark") =>
      Object.fromEntries(
        previewColors.map((name) => [name, inColorScheme(tokens[name] ?? "", colorScheme)]),
      );
    return {
      theme: themeName,
      light: palette("light"),
      dark: palette("dark"),
      fontDisplay: tokens["font-display"] ?? "",
      fontText: tokens["font-text"] ?? "",
      weight: tokens["weight-heading"] ?? "",
      tracking: tokens["tracking-heading"] ?? "",
      leading: tokens["leading-heading"] ?? "",
      radius: tokens["radius"] ?? "",
      radiusButton: tokens["radius-button"] ?? "",
    };
  });
}

/** The accent colors with rules in theme.css. */
export function accentPreviews(sheet: string): AccentPreview[] {
  const css = withoutComments(sheet);
  return accents.flatMap((accent) => {
    const color = rule(css, `[data-accent="${accent}"]`)["accent"];
    if (color === undefined) return [];
    return [{ accent, light: inColorScheme(color, "light"), dark: inColorScheme(color, "dark") }];
  });
}
