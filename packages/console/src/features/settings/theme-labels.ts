import type { ThemeView } from "../../../../server/src/features/settings/theme/schema.ts";

type Theme = NonNullable<ThemeView["theme"]>;
type Accent = NonNullable<ThemeView["accent"]>;

/** The name and description of each theme, in the order of the page. */
export const themeLabels: Readonly<Record<Theme, { label: string; about: string }>> = {
  ink: { label: "Ink", about: "A grotesque, paper white, ink blue." },
  kiln: { label: "Kiln", about: "The same typeface, warm white, burnt clay." },
  moss: { label: "Moss", about: "The same typeface, cool white, deep green." },
  vellum: {
    label: "Vellum",
    about: "A book serif, warm paper, burgundy.",
  },
};

/** The name of each accent color. */
export const accentLabels: Readonly<Record<Accent, string>> = {
  theme: "Theme default",
  cobalt: "Cobalt",
  violet: "Violet",
  bordeaux: "Bordeaux",
  clay: "Clay",
  ochre: "Ochre",
  forest: "Forest",
  teal: "Teal",
  graphite: "Graphite",
};

/** What it means to leave the theme to the site's source. */
export function sourceLabels(source: ThemeView["sourceTheme"]): string {
  const says = source === null ? "a custom theme" : themeLabels[source].label;
  return `Set in content/site.json, currently ${says}. Choose this if agents should be able to change the theme.`;
}
