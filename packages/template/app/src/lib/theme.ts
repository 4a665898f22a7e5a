import figtree from "@fontsource-variable/figtree/files/figtree-latin-wght-normal.woff2?url";
import newsreader from "@fontsource-variable/newsreader/files/newsreader-latin-wght-normal.woff2?url";
import snapshot from "@snapshot";
import site from "../content/site.json";
import bricolage from "../fonts/bricolage-grotesque-640-latin.woff2?url";

/** Which rules of styles/theme.css hold: what the owner chose in the settings, else what site.json says. */
export const themeName: string = snapshot.site.look ?? site.look;

/** Which accent color of styles/theme.css holds, from the same places; "theme" is the look's own. */
export const accentName: string = snapshot.site.accent ?? site.accent;

/** The rules that hold for the site's colors and fonts, the later over the earlier. */
export const themeSelectors: readonly string[] = [
  ":root",
  `[data-look="${themeName}"]`,
  `[data-accent="${accentName}"]`,
];

/** The fonts that the look's first words are set in; a look that is not here has the default's. */
const fontsOf: Record<string, string[]> = { vellum: [newsreader] };

/** The addresses of the font files that a page asks for before its style sheet does. */
export const fonts: string[] = fontsOf[themeName] ?? [bricolage, figtree];
