import { availableParallelism } from "node:os";
import type { Config } from "../platform/config.ts";
import { openSlots, type SlotKind, type Slots } from "../platform/slots.ts";

/** The turns of this process's site at heavy work. With one site, they are always at once. */
export function openSiteSlots({
  installation,
  site,
}: Pick<Config, "installation" | "site">): Record<SlotKind, Slots> {
  const half = Math.max(1, Math.floor(availableParallelism() / 2));
  const open = (kind: SlotKind, count: number) =>
    openSlots({ installation, kind, siteId: site?.id ?? null, count });
  return {
    build: open("build", half),
    image: open("image", 2),
    video: open("video", 1),
    // It may take minutes, so others that need a browser don't wait for it.
    qa: open("qa", 1),
    browser: open("browser", half),
  };
}
