import { z } from "zod";
import type { Db } from "../../../platform/db/connect.ts";
import { parseSetting } from "../parse-setting.ts";
import type { SettingDefinition } from "../setting-definition.ts";
import { findSetting } from "../store.ts";

/**
 * The themes of the default site: the rules `[data-look]` in its theme.css; the first is the
 * default.
 */
export const themes = ["ink", "kiln", "moss", "vellum"] as const;
export type Theme = (typeof themes)[number];

export const theme = z.enum(themes, `must be one of ${themes.join(", ")}`);

/**
 * The accent colors of the default site: the theme's own, and the rules `[data-accent]` in its
 * theme.css.
 */
export const accents = [
  "theme",
  "cobalt",
  "violet",
  "bordeaux",
  "clay",
  "ochre",
  "forest",
  "teal",
  "graphite",
] as const;
export type Accent = (typeof accents)[number];

export const accent = z.enum(accents, `must be one of ${accents.join(", ")}`);

export const themeDefinition: SettingDefinition = {
  name: "theme",
  secret: false,
  description: `The site's theme: ${themes.join(", ")}. Defaults to the one in its content/site.json.`,
  check: (input) => parseSetting("theme", theme, input),
  rebuild: "the theme was changed",
};

export const accentDefinition: SettingDefinition = {
  name: "accent",
  secret: false,
  description: `The site's accent color: ${accents.join(", ")}. Defaults to the one in its content/site.json.`,
  check: (input) => parseSetting("accent", accent, input),
  rebuild: "the accent color was changed",
};

/** The theme that the owner has chosen; null if the site's source decides. */
export async function readTheme(db: Db): Promise<Theme | null> {
  const stored = await findSetting(db, themeDefinition.name);
  return theme.safeParse(stored?.value).data ?? null;
}

/** The accent color that the owner has chosen; null if the site's source decides. */
export async function readAccent(db: Db): Promise<Accent | null> {
  const stored = await findSetting(db, accentDefinition.name);
  return accent.safeParse(stored?.value).data ?? null;
}
