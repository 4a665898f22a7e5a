import { z } from "zod";
import type { Db } from "../../../platform/db/connect.ts";
import { checked } from "../checked.ts";
import type { SettingDefinition } from "../settings.ts";
import { findSetting } from "../store.ts";

/** The looks that the default site has: the rules `[data-look]` in its theme.css; the first is the default. */
export const looks = ["ink", "kiln", "moss", "vellum"] as const;
export type Look = (typeof looks)[number];

export const look = z.enum(looks, `is none of ${looks.join(", ")}`);

export const lookDefinition: SettingDefinition = {
  name: "look",
  secret: false,
  about: `Which look the site has: ${looks.join(", ")}; what its content/site.json says where there is none.`,
  check: (said) => checked("look", look, said),
  rebuild: "the look was changed",
};

/** The look that the owner has chosen; null where it is what the site's source says. */
export async function readLook(db: Db): Promise<Look | null> {
  const stored = await findSetting(db, lookDefinition.name);
  return look.safeParse(stored?.value).data ?? null;
}
