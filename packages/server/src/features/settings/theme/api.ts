import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { envelope, ok } from "../../../kit/envelope.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { withRenamedFields } from "../../../platform/http/renamed-fields.ts";
import type { AppServer } from "../../../platform/http/server.ts";
import { adminErrorResponses, adminRoute, noStore } from "../../admin-auth/admin-route.ts";
import type { AdminGuard } from "../../admin-auth/guard.ts";
import type { SettingDefinition } from "../setting-definition.ts";
import type { Settings } from "../settings.ts";
import { accent, accentDefinition, theme, themeDefinition } from "./theme-setting.ts";
import { themeBody, themeView } from "./schema.ts";
import { accentPreviews, themePreviews } from "./theme-sheet.ts";

export interface ThemeRoutesDependencies {
  guard: AdminGuard;
  settings: Settings;
  /** The content repository's folder. */
  content: string;
  /** In the transaction that changes the theme: the site has to be rebuilt. */
  onThemeChange(transaction: Db): Promise<unknown>;
}

/** A file of the site's source; "" if the site doesn't have it. */
async function sourceOf(content: string, path: string): Promise<string> {
  try {
    return await readFile(join(content, "app/src", path), "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}

/** What the site's source sets; unknown values count as unset. */
const site = z.object({
  look: theme.nullable().catch(null).default(null),
  accent: accent.nullable().catch(null).default(null),
});

function readSource(json: string): z.infer<typeof site> {
  try {
    return site.parse(JSON.parse(json));
  } catch {
    return { look: null, accent: null };
  }
}

/** The site's theme, and the values of each theme in theme.css. */
export function registerTheme(app: AppServer, deps: ThemeRoutesDependencies): void {
  const { guard, settings, content } = deps;
  const described = adminRoute("settings");
  const url = "/api/adminsettings/theme";
  const response = { 200: envelope(themeView), ...adminErrorResponses };
  const view = async () => {
    const [stored, storedAccent, json, sheet] = await Promise.all([
      settings.read(themeDefinition),
      settings.read(accentDefinition),
      sourceOf(content, "content/site.json"),
      sourceOf(content, "styles/theme.css"),
    ]);
    const source = readSource(json);
    return {
      theme: theme.safeParse(stored).data ?? null,
      accent: accent.safeParse(storedAccent).data ?? null,
      sourceTheme: source.look,
      sourceAccent: source.accent,
      themes: themePreviews(sheet),
      accents: accentPreviews(sheet),
    };
  };
  app.get(
    url,
    {
      onRequest: [noStore, guard.requireAdmin("read")],
      schema: {
        ...described,
        summary: "The site's theme and accent color, and the available ones",
        response,
      },
    },
    async () => ok(await view()),
  );
  app.post(
    url,
    {
      onRequest: [noStore, guard.requireAdmin("write")],
      schema: {
        ...described,
        summary: "Choose the site's theme and accent color; null uses the one in its source",
        body: withRenamedFields(themeBody, { look: "theme" }),
        response,
      },
    },
    async (request) => {
      const { theme: chosen, accent: color } = request.body;
      const changes: [SettingDefinition, string | null][] = [[themeDefinition, chosen]];
      if (color !== undefined) changes.push([accentDefinition, color]);
      await settings.write(changes, deps.onThemeChange);
      return ok(await view());
    },
  );
}
