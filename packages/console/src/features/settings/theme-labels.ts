import type { ThemeView } from "../../../../server/src/features/settings/theme/schema.ts";

type Theme = NonNullable<ThemeView["theme"]>;

/** What each look is, in the order of the page. */
export const themeLabels: Readonly<Record<Theme, { label: string; about: string }>> = {
  ink: { label: "Ink", about: "A grotesque, paper white, ink blue." },
  kiln: { label: "Kiln", about: "The same letters, warm white, burnt clay." },
  moss: { label: "Moss", about: "The same letters, cool white, deep green." },
  vellum: {
    label: "Vellum",
    about: "A book’s serif, warm paper, bordeaux.",
  },
};

/** What it means to leave the look to the site's source. */
export function sourceLabels(source: ThemeView["sourceTheme"]): string {
  const says = source === null ? "a look of its own" : themeLabels[source].label;
  return `Its content/site.json says it: ${says} now. Only then can an agent change it.`;
}
