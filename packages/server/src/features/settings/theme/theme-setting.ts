import { z } from "zod";
import type { Db } from "../../../platform/db/connect.ts";
import { parseSetting } from "../parse-setting.ts";
import type { SettingDefinition } from "../setting-definition.ts";
import { findSetting } from "../store.ts";

/** The looks that the default site has: the rules `[data-look]` in its theme.css; the first is the default. */
export const themes = ["ink", "kiln", "moss", "vellum"] as const;
export type Theme = (typeof themes)[number];

export const theme = z.enum(themes, `is none of ${themes.join(", ")}`);

export const themeDefinition: SettingDefinition = {
  name: "theme",
  secret: false,
  description: `Which theme the site has: ${themes.join(", ")}; what its content/site.json says where there is none.`,
  check: (input) => parseSetting("theme", theme, input),
  rebuild: "the theme was changed",
};

/** The look that the owner has chosen; null where it is what the site's source says. */
export async function readTheme(db: Db): Promise<Theme | null> {
  const stored = await findSetting(db, themeDefinition.name);
  return theme.safeParse(stored?.value).data ?? null;
}
