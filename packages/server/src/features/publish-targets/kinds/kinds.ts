import type { TargetKind, TargetSettings } from "../schema.ts";
import { cloudflarePages } from "./cloudflare-pages.ts";
import { gitBranch } from "./git-branch.ts";
import { netlifySite } from "./netlify.ts";
import { rsync } from "./rsync.ts";
import { s3 } from "./s3.ts";
import type { Kind } from "./target-kind.ts";

type SettingsOf<K extends TargetKind> = Extract<TargetSettings, { kind: K }>;

const kinds: { [K in TargetKind]: Kind<SettingsOf<K>> } = {
  s3,
  git: gitBranch,
  rsync,
  netlify: netlifySite,
  cloudflare: cloudflarePages,
};

/** What sends to targets of this kind. */
export function kindOf(settings: TargetSettings): Kind<TargetSettings> {
  return kinds[settings.kind] as Kind<TargetSettings>;
}
